#!/usr/bin/env bash
# Runs every test. Called by ./libera test with the cache folder, the engine's folder and the Swift flags; what follows --
# goes to swift test.
set -euo pipefail
cache=$1
export LIBERA_ENGINE=$2
shift 2
flags=()
while [[ ${1:-} != -- ]]; do
  flags+=("$1")
  shift
done
shift

# The packs that tests use are the ones people use: pulled once into the cache folder, verified each time.
prepare_packs() { # FOLDER of the programs
  export LIBERA_TEST_HOME=$cache/test-home LIBERA_TEST_PACKS=$cache/test-packs
  "$1/libera" packs pull --defaults --home "$LIBERA_TEST_HOME"
  "$1/libera" packs pull whisper-tiny.en-q8_0 whisper-base-q8_0 silero-vad-6.2.0 --home "$LIBERA_TEST_HOME"
  "$1/libera" packs verify --home "$LIBERA_TEST_HOME"
  # Elsewhere: most tests are of what people have who speak English.
  "$1/libera" packs pull use-multilingual-3-q6 --home "$cache/test-languages"
  mkdir -p "$LIBERA_TEST_PACKS"
  link smollm2-135m-instruct-q4_1 smollm2.gguf
  link all-minilm-l6-v2-f16 minilm.gguf
  link whisper-base-q8_0 whisper-base.bin
  link whisper-tiny.en-q8_0 whisper-tiny.en.bin
  link silero-vad-6.2.0 silero.bin
  link use-multilingual-3-q6 use.gguf "$cache/test-languages"
}
link() { ln -sf "$(ls "${3:-$LIBERA_TEST_HOME}/packs/$1"/weights-????????????.* | head -n 1)" "$LIBERA_TEST_PACKS/$2"; }

# ./libera test --sanitize=thread|address: the rooms that need no engine, built with that sanitizer in a folder of their own. Their
# workers are the ordinary ones: in their seal a sanitizer cannot live. With address also the journeys that have every engine in this
# program; the libraries of the engines are not built with it, so it sees how they use the heap and what our code does.
if [[ ${1:-} == --sanitize=* ]]; then
  kind=${1#--sanitize=}
  shift
  [[ $kind == thread || $kind == address ]] || { echo "--sanitize is thread or address" >&2; exit 2; }
  for worker in libera-worker echo-worker; do swift build --product $worker "${flags[@]}"; done
  workers=$(swift build --show-bin-path)
  sanitized=(--sanitize="$kind" --scratch-path ".build/$kind" "${flags[@]}")
  swift build --build-tests "${sanitized[@]}"
  install "$workers/libera-worker" "$workers/echo-worker" "$(swift build --show-bin-path "${sanitized[@]}")"
  # What Foundation itself keeps is no leak of ours.
  export TSAN_OPTIONS="suppressions=$PWD/Tests/thread-sanitizer.txt" ASAN_OPTIONS=detect_leaks=0
  suites='CoreTests|ResourcesTests|CommandsTests|WorkersTests|StorageTests|ReleasesTests'
  if [[ $kind == address ]]; then
    swift build --product libera "${flags[@]}"
    prepare_packs "$(swift build --show-bin-path)"
    suites+='|LiberaKitTests'
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
  fi
  exec swift test --skip-build "${sanitized[@]}" --filter "$suites" "$@"
fi

swift build --build-tests -Xswiftc -warnings-as-errors "${flags[@]}"

programs=$(swift build --show-bin-path)
prepare_packs "$programs"

# No more at once than a small machine can carry: what is asked for may be journeys.
if (($#)); then
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}
  exec swift test --skip-build "${flags[@]}" "$@"
fi
# A Python with the packages of Tests/NAME, made once for each list of them. It is not moved afterwards: its programs know
# their place.
python_for() { # NAME
  local place
  place=$cache/tests-$1-$(sha256sum "Tests/$1/requirements.txt" | cut -c1-16)
  if [[ ! -f $place/complete ]]; then
    rm -rf "$place" && python3 -m venv "$place" >&2
    "$place/bin/python" -m pip install --quiet --require-hashes --only-binary=:all: \
      -r "Tests/$1/requirements.txt" >&2 || return 1
    touch "$place/complete"
  fi
  echo "$place/bin/python"
}

# Other people's programs against ours: the clients that people have.
client_tests() {
  local python
  if ! python=$(python_for Clients); then
    echo "The tests with other programs are skipped: the packages of Tests/Clients/requirements.txt cannot be had from PyPI."
    return
  fi
  (cd Tests/Clients && LIBERA_PROGRAM=$programs/libera "$python" -m unittest discover)
}

# The page, in a real browser where there is one: what a person does most. LIBERA_BROWSER_TESTS=all runs every test of it.
page_tests() {
  if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
    echo "The page's tests are skipped: they need Chromium and its driver (on Debian: apt-get install chromium chromium-driver)."
    return
  fi
  local python
  if ! python=$(python_for Browser); then
    echo "The page's tests are skipped: the packages of Tests/Browser/requirements.txt cannot be had from PyPI."
    return
  fi
  local tests=(test_first test_beginning test_newcomer test_journey test_cards test_outside_tools test_screens
    test_trust.TrustTest.test_opening_packs_asks_nobody_until_a_person_does
    test_trust.TrustTest.test_two_attachments_of_one_name_are_kept_apart_and_one_of_one_content_is_kept_once
    test_everyone.EveryoneTest.test_every_kind_of_answer_is_announced_once
    test_everyone.EveryoneTest.test_an_answer_shows_what_is_done_in_its_place_and_can_be_stopped_or_quoted
    test_everyone.EveryoneTest.test_a_long_conversation_opens_with_two_requests
    test_everyone.EveryoneTest.test_conversations_gone_past_while_they_come_stay_apart_and_are_asked_for_once
    test_page.PageTest.test_every_screen_is_accessible_and_fits_at_every_width_in_light_and_dark
    test_viewer.ViewerTest.test_it_opens_at_the_passage_at_every_width_and_theme test_viewer.ManualTest
    test_viewer.ViewerTest.test_words_are_found_and_stepped_through test_restore test_languages test_finding test_formulas test_instructions test_tomorrow
    test_viewer.ViewerTest.test_the_messages_of_a_thread_stand_beside_each_of_them
    test_commands.CommandsTest.test_a_card_stays_in_its_conversation_and_open_reminders_are_listed
    test_page.PageTest.test_a_document_is_dropped_asked_and_its_page_opened
    test_page.PageTest.test_an_answer_goes_on_while_the_page_is_closed_and_the_server_restarts
    test_voice.VoiceTest.test_words_appear_while_one_talks_settle_and_are_sent test_transcriptions
    test_commands.CommandsTest.test_a_command_is_changed_done_and_taken_back
    test_commands.CommandsTest.test_a_card_hears_no_another_time_yes_and_undo
    test_commands.CommandsTest.test_a_reminder_rings_once_is_snoozed_and_done
    test_commands.CommandsTest.test_a_timer_is_listed_sounds_until_it_is_stopped_and_is_not_heard_again
    test_attachments.AttachmentsTest.test_an_attached_file_is_asked_listed_and_gone_with_its_conversation)
  [[ ${LIBERA_BROWSER_TESTS:-} != all ]] || tests=(discover)
  export LIBERA_PROGRAM=$programs/libera LIBERA_TESTS=$programs/liberaPackageTests.xctest
  (cd Tests/Browser && "$python" -m unittest "${tests[@]}")
  # What a person does first, in the other browser that many have.
  if ! command -v firefox-esr >/dev/null; then
    echo "The page's tests in Firefox are skipped: they need it (on Debian: apt-get install firefox-esr)."
    return
  fi
  (cd Tests/Browser && LIBERA_BROWSER=firefox "$python" -m unittest test_journey \
    test_page.PageTest.test_a_document_is_dropped_asked_and_its_page_opened \
    test_page.PageTest.test_everything_can_be_done_from_the_keyboard)
}

# A test that waits for ever is a defect, and must not keep the rest from being known: what has not ended after 25 minutes is
# ended, said, and run once more.
bounded() {
  local status=0
  limited "$@" || status=$?
  ((status == 124 || status == 137)) || return "$status"
  echo "These tests did not end within 25 minutes: $*. They are run once more." >&2
  limited "$@"
}

# Runs tests and, where one failed, names it at the end: hundreds of lines lie between it and there.
limited() {
  local status=0 log
  log=$(mktemp)
  timeout -k 30 1500 "$@" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
  if ((status != 0)); then
    echo "What failed:"
    grep -aE '^(✘|↳)|error: ' "$log" | cut -c1-2000 || echo "  nothing that a test reported; the end of the output says what ended it"
  fi
  rm -f "$log"
  return "$status"
}

# The journeys drive whole programs, or everything in this one, and wait for them; beside everything else they would wait for a
# processor instead. So would those who end a worker that computes for ever, while it takes a core.
bounded swift test --skip-build "${flags[@]}" --skip JourneyTests --skip LiberaKitTests --skip LiberaAppTests --skip HostilePDFTests
# Nor do more of them at once than a small machine can carry.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 bounded swift test --skip-build "${flags[@]}" --filter JourneyTests \
  --filter LiberaKitTests --filter LiberaAppTests --filter HostilePDFTests
page_tests
client_tests
# Some seconds of hostile inputs for everything that takes bytes from others, of another seed each day: docs/fuzzing.md.
# libical, libpng and libxml2 tell of every line they do not like.
"$programs/fuzz" --seconds 60 --seed "$(date +%Y%m%d)" 2>&1 | grep -vE 'icalparser\.c:|^libpng |^encoding error'
