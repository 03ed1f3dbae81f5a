// A graphics card that is taken away: stands before Vulkan's own library under its name, passes everything on, and from the submission
// of work of the number LIBERA_TEST_LOST_AFTER on says that the device is lost. Without that variable it does nothing.
//   cc -shared -fPIC lostcard.c STUB -o FOLDER/libvulkan.so.1, where STUB is an empty library whose soname is the path of the real one:
// so that the loader finds both. LD_LIBRARY_PATH then names FOLDER.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*Getter)(void *, const char *);
typedef int32_t (*Submit)(void *, uint32_t, const void *, uint64_t);
enum { DEVICE_LOST = -4 };

static Getter of_instance, of_device;
static Submit submit;
static atomic_long submissions;
static long most = -1;

__attribute__((constructor)) static void find(void) {
  const char *after = getenv("LIBERA_TEST_LOST_AFTER");
  if (after) most = atol(after);
}

static int32_t submit_or_fail(void *queue, uint32_t count, const void *work, uint64_t fence) {
  if (most >= 0 && ++submissions > most) return DEVICE_LOST;
  return submit(queue, count, work, fence);
}

static Function device_function(void *device, const char *name) {
  Function found = of_device(device, name);
  if (!found || strcmp(name, "vkQueueSubmit")) return found;
  submit = (Submit)found;
  return (Function)submit_or_fail;
}

Function vkGetDeviceProcAddr(void *device, const char *name) {
  if (!of_device) of_device = (Getter)dlsym(RTLD_NEXT, "vkGetDeviceProcAddr");
  return device_function(device, name);
}

Function vkGetInstanceProcAddr(void *instance, const char *name) {
  if (!of_instance) of_instance = (Getter)dlsym(RTLD_NEXT, "vkGetInstanceProcAddr");
  Function found = of_instance(instance, name);
  if (!found) return found;
  if (!strcmp(name, "vkGetDeviceProcAddr")) {
    of_device = (Getter)found;
    return (Function)device_function;
  }
  if (!strcmp(name, "vkQueueSubmit")) {
    submit = (Submit)found;
    return (Function)submit_or_fail;
  }
  return found;
}
