// The recorder is loaded into programs of any age, so it must need nothing newer than glibc 2.31 (Ubuntu 20.04, Debian
// 11). Since glibc 2.34 the functions of libpthread and libdl are in libc under a new version, and linking requires
// that one although they are unchanged. This file names each under its first version, for the recorder and its parts of
// libstdc++.a. `test/native/recordSymbols.test.ts` reports missing ones.

#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#define FIRST_DLADDR1 "GLIBC_2.3.3"
#define JUMP "jmp "
#define THROUGH_PLT "@PLT"
#elif defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#define FIRST_DLADDR1 FIRST
#define JUMP "b "
#define THROUGH_PLT ""
#endif

#ifdef FIRST

/// A jump, so that arguments, result and caller pass unchanged.
#define OLD(name, version)                                    \
  __asm__(".symver old_" #name ", " #name "@" version "\n"    \
          ".pushsection .text." #name ", \"ax\", %progbits\n" \
          ".globl " #name "\n"                                \
          ".hidden " #name "\n"                               \
          ".type " #name ", %function\n" #name ":\n" JUMP     \
          "old_" #name THROUGH_PLT "\n"                       \
          ".size " #name ", . - " #name "\n"                  \
          ".popsection\n")

OLD(__pthread_key_create, FIRST);
OLD(pthread_create, FIRST);
OLD(pthread_detach, FIRST);
OLD(pthread_getspecific, FIRST);
OLD(pthread_join, FIRST);
OLD(pthread_key_create, FIRST);
OLD(pthread_key_delete, FIRST);
OLD(pthread_mutex_trylock, FIRST);
OLD(pthread_once, FIRST);
OLD(pthread_setspecific, FIRST);
OLD(pthread_sigmask, FIRST);
OLD(pthread_cond_clockwait, "GLIBC_2.30");
OLD(dladdr, FIRST);
OLD(dladdr1, FIRST_DLADDR1);
OLD(dlclose, FIRST);
OLD(dlopen, FIRST);
OLD(dlsym, FIRST);

/// Reference counts always use atomics then. From glibc 2.32 on this variable says if they can be avoided.
extern "C" {
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}

#endif
