// Starts a program where the kernel forbids it to seal itself, as some containers' rules do: the calls of Landlock and seccomp fail.
// unsealable PROGRAM ARGUMENT...
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

int main(int count, char **words) {
  struct sock_filter rules[] = {
      LOAD(nr),
      REFUSE(__NR_seccomp),
      REFUSE(__NR_landlock_create_ruleset),
      REFUSE(__NR_landlock_add_rule),
      REFUSE(__NR_landlock_restrict_self),
      // The older way to seccomp.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_prctl, 0, 3),
      LOAD(args[0]),
      REFUSE(PR_SET_SECCOMP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (count < 2) return 2;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("unsealable");
    return 1;
  }
  execvp(words[1], words + 1);
  perror(words[1]);
  return 127;
}
