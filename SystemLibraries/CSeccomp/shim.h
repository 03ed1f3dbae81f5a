#pragma once
#include <errno.h>
#include <seccomp.h>

// A function-like macro, out of Swift's reach.
static inline uint32_t libera_seccomp_refuse(uint16_t error) { return SCMP_ACT_ERRNO(error); }
static const uint32_t libera_seccomp_kill = SCMP_ACT_KILL_PROCESS;
static const uint32_t libera_seccomp_allow = SCMP_ACT_ALLOW;
