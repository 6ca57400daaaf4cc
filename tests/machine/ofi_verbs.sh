#!/bin/bash
# NPofi over verbs;ofi_rxm, the provider here that registers for real, in a machine that has
# the RDMA device rxe0: every transfer, every byte.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPofi
# ofi_rxm requests a completion queue for so many peers; its default exceeds that of rxe.
export FI_UNIVERSE_SIZE=2

# over_verbs ARGUMENT...: by the address of the link, as verbs binds no link-local one.
over_verbs()
{
	start_server NPofi || return
	run NPofi -h "$NP_VM_ADDRESS" -P "$port" --provider "verbs;ofi_rxm" --sizes 8,20001 \
		--quick -i "$@"
	local ended=$code
	finish "$server" 30
	code=$ended
	checked 8 20001
}
for transfer in tagged rma_write rma_read; do
	tap_check "$transfer over verbs;ofi_rxm: every byte" over_verbs -t $transfer
done
tap_check "msg by event" over_verbs -c event
cli_done
