# np_flags.m4 - compiler flags and libraries, each asked for by itself.

# NP_TRY_CFLAG(FLAG, IF-TAKEN, [IF-REFUSED])
# ------------------------------------------
# clang only warns about a warning flag it does not know, hence -Werror.
AC_DEFUN([NP_TRY_CFLAG],
[np_saved_cflags=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [np_taken=yes], [np_taken=no])
CFLAGS=$np_saved_cflags
AS_IF([test "$np_taken" = yes], [$2], [$3])
])

# NP_WARNINGS
# -----------
# WARN_CFLAGS: every warning of the list that this compiler has.
AC_DEFUN([NP_WARNINGS],
[WARN_CFLAGS=
np_warning_count=0
AC_MSG_CHECKING([for warning flags])
for np_flag in \
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
  -Wold-style-definition -Wpointer-arith -Wwrite-strings -Wundef -Wformat=2 \
  -Wvla -Wcast-qual -Wconversion -Wnull-dereference -Wimplicit-fallthrough \
  -Wlogical-op -Wdouble-promotion -Wno-missing-field-initializers
do
  NP_TRY_CFLAG([$np_flag],
    [AS_VAR_APPEND([WARN_CFLAGS], [" $np_flag"])
     np_warning_count=`expr $np_warning_count + 1`])
done
AC_MSG_RESULT([$np_warning_count taken])
AC_SUBST([WARN_CFLAGS])
])

# NP_WERROR
# ---------
# Off by default: a newer compiler's new warning must not stop a user.
AC_DEFUN([NP_WERROR],
[AC_ARG_ENABLE([werror],
  [AS_HELP_STRING([--enable-werror], [warnings are errors, absent unit tests too])],
  [], [enable_werror=no])
AS_CASE([$enable_werror],
  [yes], [AS_VAR_APPEND([WARN_CFLAGS], [" -Werror"])],
  [no], [],
  [AC_MSG_ERROR([--enable-werror takes yes or no, not "$enable_werror"])])
])

# NP_SANITIZE
# -----------
# A finding ends the program, or a test would pass over it.
AC_DEFUN([NP_SANITIZE],
[AC_ARG_ENABLE([sanitize],
  [AS_HELP_STRING([--enable-sanitize=LIST],
    [run under sanitizers: address,undefined or thread @<:@no@:>@])],
  [], [enable_sanitize=no])
SANITIZE_CFLAGS=
AS_CASE([$enable_sanitize],
  [no], [],
  [yes], [enable_sanitize=address,undefined])
AS_IF([test "$enable_sanitize" != no],
  [SANITIZE_CFLAGS="-fsanitize=$enable_sanitize -fno-sanitize-recover=all -fno-omit-frame-pointer"
   AC_MSG_CHECKING([whether $CC links with -fsanitize=$enable_sanitize])
   np_saved_cflags=$CFLAGS
   CFLAGS="$CFLAGS $SANITIZE_CFLAGS"
   AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [np_taken=yes], [np_taken=no])
   CFLAGS=$np_saved_cflags
   AC_MSG_RESULT([$np_taken])
   AS_IF([test "$np_taken" = no],
     [AC_MSG_ERROR([$CC cannot build with --enable-sanitize=$enable_sanitize])])])
AC_SUBST([SANITIZE_CFLAGS])
AC_SUBST([NP_SANITIZERS], [$enable_sanitize])
])

# NP_REQUIRE_LIBRARY(PREFIX, PKG-CONFIG-NAME, DEBIAN-PACKAGE)
# -----------------------------------------------------------
AC_DEFUN([NP_REQUIRE_LIBRARY],
[m4_ifndef([PKG_PROG_PKG_CONFIG],
  [m4_fatal([pkg.m4 is missing: install pkg-config (Debian: apt install pkg-config)])])
AC_REQUIRE([PKG_PROG_PKG_CONFIG])
AS_IF([test -z "$PKG_CONFIG"],
  [AC_MSG_ERROR([pkg-config is missing; on Debian: apt install pkg-config])])
PKG_CHECK_MODULES([$1], [$2], [],
  [AC_MSG_ERROR([library $2 is missing; on Debian: apt install $3])])
np_library=`AS_ECHO(["$2"]) | sed 's/ .*//'`
np_libraries="$np_libraries${np_libraries:+, }$np_library `$PKG_CONFIG --modversion $np_library`"
AC_DEFINE_UNQUOTED([NP_LIBRARY_VERSIONS], ["$np_libraries"],
  [Names and versions of the libraries that every program was built with.])
])

# NP_OPTIONAL_CMOCKA
# ------------------
# The unit tests need cmocka.  Without it they are reported as skipped, which
# is right for a user and wrong where every test has to run.
AC_DEFUN([NP_OPTIONAL_CMOCKA],
[AC_REQUIRE([PKG_PROG_PKG_CONFIG])
np_cmocka_words="yes, with cmocka"
PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [np_cmocka=yes], [np_cmocka=no])
AS_IF([test $np_cmocka = no],
  [np_cmocka_words="no, cmocka is missing (on Debian: apt install libcmocka-dev)"
   AS_IF([test "$enable_werror" = yes || test -n "$NP_REQUIRE_TESTS"],
     [AC_MSG_ERROR([unit tests are required here, but cmocka is missing; on Debian: apt install libcmocka-dev])])])
AM_CONDITIONAL([HAVE_CMOCKA], [test $np_cmocka = yes])
])
