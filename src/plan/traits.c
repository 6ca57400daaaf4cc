/*
 * traits.c - missing traits of a module, and the texts for them.
 */
#include "plan/traits.h"

unsigned np_traits_lacking(const struct np_module *module)
{
	const bool job = module->job != NULL;
	unsigned traits = module->capabilities;

	traits |= job ? NP_HAS_JOB : NP_HAS_NO_JOB;
	if ((module->capabilities & NP_CAN_SPAN_HOSTS) != 0 && !job)
		traits |= NP_HAS_SERVER;
	if ((traits & NP_HAS_SERVER) != 0 || (job && module->job->meet != NULL))
		traits |= NP_HAS_FLEET;
	if (module->device != NULL && module->device->list != NULL)
		traits |= NP_HAS_DEVICES;
	if (module->memory == NULL || module->memory->copy != NULL)
		traits |= NP_HAS_BYTES;
	return ~traits;
}

const char *np_traits_reason(unsigned lacking)
{
	static const struct {
		unsigned trait;
		const char *reason;
	} reasons[] = {
		{ NP_HAS_NO_JOB, "the MPI launcher starts the processes, on its hosts" },
		{ NP_HAS_SERVER, "both processes run on this host, and one command "
				 "starts them" },
		{ NP_HAS_FLEET, "this transport has two processes, on one host" },
		{ NP_HAS_JOB, "no MPI launcher starts this program; --runs does without" },
		{ NP_HAS_DEVICES, "this transport has no devices to choose from" },
		{ NP_HAS_BYTES, "messages of this transport have no contents to check" },
		{ NP_CAN_STREAM, "this transport cannot stream" },
		{ NP_CAN_BIDIRECTIONAL, "this transport cannot send in both directions at "
					"once" },
		{ NP_CAN_RECONNECT, "this transport cannot connect again within a run" },
		{ NP_CAN_REGISTER, "this transport registers no memory" },
		{ NP_CAN_WINDOW, "this transport does not let a program choose how many "
				 "messages are in flight" },
		{ NP_CAN_WINDOW_BOTH, "this transport has one exchange in flight" },
		{ NP_CAN_SAME_BUFFER, "a buffer whose receive is posted, or is watched for "
				      "a message, must not be sent" },
		{ NP_CAN_BURST, "this transport has no receives to post in advance" },
		{ NP_CAN_ZERO_BYTES, "this transport has no message without bytes" },
		{ NP_CAN_GPU, "the CPU moves the messages, and reaches no memory of a "
			      "GPU" },
		{ NP_CAN_FRESH, "this transport sends only from memory that was "
				"registered in advance" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if ((lacking & reasons[i].trait) != 0)
			return reasons[i].reason;
	}
	return "this program lacks what it needs";
}
