#pragma once
#include <stdio.h>
#include <editline/readline.h>
#include <signal.h>

/// Ctrl-C and Ctrl-Z are keys while a line is edited. As signals they would end the line, and what is typed at the same moment
/// would be lost. The editor sets the terminal up anew for each line, so this is said again before each.
static int libera_no_signals(void) { return rl_parse_and_bind("setty -d -isig"); }

static int libera_suspend(int count, int key) { return kill(0, SIGTSTP); }

/// Ctrl-C empties the line, Ctrl-Z hands the terminal back to the shell.
static inline void libera_take_keys(void) {
  rl_initialize();
  rl_parse_and_bind("bind ^C em-kill-line");
  rl_add_defun("suspend", libera_suspend, 'Z' - '@');
  rl_pre_input_hook = libera_no_signals;
}
