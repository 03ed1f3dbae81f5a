#pragma once
#include <curl/curl.h>

// curl's option calls are variadic, which Swift cannot call: one typed function for each kind of argument.
static inline CURLcode libera_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode libera_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode libera_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode libera_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode libera_curl_set_data(CURL *handle, CURLoption option,
                                            size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode libera_curl_set_progress(CURL *handle, int (*value)(void *, curl_off_t, curl_off_t, curl_off_t,
                                                                            curl_off_t)) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}
/// The bytes are copied.
static inline CURLcode libera_curl_set_bytes(CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}
static inline const char *libera_curl_get_text(CURL *handle, CURLINFO info) {
  char *value = NULL;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}
