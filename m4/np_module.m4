# np_module.m4 - what configure asks about modules.
#
# NP_MODULE(NAME, SUMMARY, [PROBE])
# ---------------------------------
# Offers --enable-NAME=yes|no|auto, automatic unless told.  PROBE is shell code
# that runs unless the user said no; where the module cannot be built it sets
# np_ok=no and np_why to the reason, one line without quotation marks.  "yes"
# for a module that cannot be built is an error with that reason.
#
# Gives the Makefile the conditional MOD_NAME (upper case) and the substitution
# NP_WHY_NAME, and config.h the two lists that the tests' registry is made of, and a
# third, of the programs that are installed: modules behind NP_MODULES_OF_TESTS have none.
AC_DEFUN([NP_MODULE],
[AC_ARG_ENABLE([$1],
  [AS_HELP_STRING([--enable-$1=WHEN], [$2: yes, no or auto @<:@auto@:>@])],
  [], [enable_$1=auto])
AS_CASE([$enable_$1], [yes|no|auto], [],
  [AC_MSG_ERROR([--enable-$1 takes yes, no or auto, not "$enable_$1"])])
np_ok=yes
np_why=
AS_IF([test "$enable_$1" = no], [np_ok=no np_why="switched off by --disable-$1"], [$3])
AS_IF([test "$np_ok:$enable_$1" = no:yes],
  [AC_MSG_ERROR([module $1 was asked for, but $np_why])])
AM_CONDITIONAL([MOD_]m4_toupper([$1]), [test "$np_ok" = yes])
AC_SUBST([NP_WHY_]m4_toupper([$1]), [$np_why])
AS_IF([test "$np_ok" = yes],
  [AS_VAR_APPEND([np_built], [" X($1)"])
   np_table="$np_table
    m4_format([[%-9s]], [$1]) : yes, $2"],
  [AS_VAR_APPEND([np_absent], [" A(\"$1\", \"$np_why\")"])
   np_table="$np_table
    m4_format([[%-9s]], [$1]) : no, $np_why"])
AS_IF([test -z "$np_of_tests"],
  [AS_VAR_APPEND([np_programs], [" P(\"$1\", \"$2\", \"$np_why\")"])])
])

AC_DEFUN([NP_MODULES_OF_TESTS], [np_of_tests=yes
])

AC_DEFUN([NP_MODULES_BEGIN],
[np_built=
np_absent=
np_programs=
np_of_tests=
np_table=
])

# Behind the last module that is installed; those of the tests follow.
AC_DEFUN([NP_MODULES_SHIPPED],
[np_shipped=`AS_ECHO(["$np_built"]) | sed 's/ X(\([[^)]]*\))/NP\1 /g'`
AC_DEFINE_UNQUOTED([NP_SHIPPED_PROGRAMS], ["${np_shipped}NPfleet NPreport"],
  [The programs of this build.])
])

AC_DEFUN([NP_MODULES_END],
[AC_DEFINE_UNQUOTED([NP_BUILT_MODULES(X)], [$np_built],
  [One X(name) for each module in this build.])
AC_DEFINE_UNQUOTED([NP_ABSENT_MODULES(A)], [$np_absent],
  [One A("name", "reason") for each module that was left out.])
AC_DEFINE_UNQUOTED([NP_PROGRAMS(P)], [$np_programs],
  [One P("name", "summary", "why it was left out, or nothing") for each module with a program.])
])

# NP_SUMMARY
# ----------
# The last words of configure: what will be built, and why something will not.
AC_DEFUN([NP_SUMMARY],
[AC_MSG_NOTICE([
  $PACKAGE_NAME $PACKAGE_VERSION

    compiler  : $CC -std=gnu11 $CFLAGS
    warnings  : $np_warning_count flags, errors: $enable_werror
    sanitizer : $enable_sanitize
    unit tests: $np_cmocka_words
    installs  : $prefix

  modules
$np_table
])])
