/* Shows the thread sanitizer the mutexes of the Synchronization module.
 *
 * What Mutex does without waiting is compiled into the code that uses it, where the sanitizer sees it. Waiting, and the
 * unlock of a mutex that another thread waits for, are in the standard library, which is built without the sanitizer: it
 * would report what such a thread reads. A program that is linked with this calls the standard library through here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define MUTEX __attribute__((swift_context)) void *

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

static SWIFT void (*lock)(uint32_t thread, MUTEX mutex);
static SWIFT bool (*try_lock)(MUTEX mutex);
static SWIFT void (*unlock)(MUTEX mutex);

/* Synchronization._MutexHandle._lockSlow(UInt32), _tryLockSlow(), _unlockSlow() */
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

__attribute__((constructor)) static void find(void) {
    *(void **)&lock = dlsym(RTLD_NEXT, LOCK);
    *(void **)&try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    *(void **)&unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void seen_lock(uint32_t thread, MUTEX mutex) __asm__(LOCK);
SWIFT bool seen_try_lock(MUTEX mutex) __asm__(TRY_LOCK);
SWIFT void seen_unlock(MUTEX mutex) __asm__(UNLOCK);

SWIFT void seen_lock(uint32_t thread, MUTEX mutex) {
    lock(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool seen_try_lock(MUTEX mutex) {
    bool is_locked = try_lock(mutex);
    if (is_locked) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void seen_unlock(MUTEX mutex) {
    __tsan_release(mutex);
    unlock(mutex);
}
