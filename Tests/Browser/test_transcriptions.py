"""Recordings to words through the openai package, unchanged, against the real program."""

import pathlib
import unittest

import httpx
import openai

import stage


class TranscriptionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.house = stage.House()
        cls.client = openai.OpenAI(
            base_url=f"http://127.0.0.1:{cls.house.port}/v1", api_key=cls.house.key("transcribe"), max_retries=0)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.house.close()

    def ask(self, number=1, **more):
        with open(stage.RECORDINGS / f"{number:02}.wav", "rb") as file:
            return self.client.audio.transcriptions.create(file=file, **{"model": "whisper-1", "language": "en", **more})

    def test_words_come_as_json_and_as_text(self):
        self.assertIn("tomorrow at 7", self.ask().text)
        self.assertIn("tomorrow at 7", self.ask(response_format="text"))

    def test_the_verbose_form_has_segments_and_words_with_their_times(self):
        made = self.ask(response_format="verbose_json", timestamp_granularities=["word", "segment"])
        self.assertEqual((made.language, made.task if hasattr(made, "task") else "transcribe"), ("english", "transcribe"))
        self.assertAlmostEqual(made.duration, 2.4, delta=0.6)
        self.assertGreaterEqual(len(made.words), 7)
        self.assertTrue(all(0 <= one.start <= one.end <= made.duration + 0.1 for one in made.words))
        self.assertEqual(made.segments[0].text.strip(), made.text.strip())
        plain = self.ask(response_format="verbose_json")
        self.assertIsNone(plain.words)
        self.assertTrue(plain.segments)

    def test_subtitles_come_in_both_forms(self):
        self.assertRegex(self.ask(response_format="srt"), r"^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nRemind me")
        self.assertRegex(self.ask(response_format="vtt"), r"^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:0\d\.\d{3}\nRemind me")

    def test_the_language_is_found_when_none_is_given_and_a_pack_may_be_named(self):
        self.assertEqual(self.ask(response_format="verbose_json", language=openai.omit).language, "english")
        self.assertIn("whisper-tiny.en-q8_0", {one.id for one in self.client.models.list()})
        self.assertIn("John", self.ask(model="whisper-tiny.en-q8_0").text)
        with self.assertRaises(openai.NotFoundError):
            self.ask(model="gpt-9-transcribe")

    def test_a_prompt_names_what_to_expect(self):
        self.assertIn("Sarah", self.ask(3, prompt="Sarah").text)

    def test_what_is_not_sound_is_refused_and_leaves_nothing_behind(self):
        for name, sound in (("a.wav", b""), ("a.wav", b"RIFF\xff\xff\xff\xffWAVE"), ("../../x", b"words"), ("a.mp3", b"\xff" * 4096)):
            with self.assertRaises(openai.APIStatusError) as caught:
                self.client.audio.transcriptions.create(model="whisper-1", file=(name, sound))
            self.assertIn(caught.exception.status_code, (400, 422), caught.exception)
        with self.assertRaises(openai.BadRequestError):
            self.ask(response_format="diarized_json")
        left = [one for one in pathlib.Path.home().glob(".cache/libera/scratch/uploads-*") if str(self.house.port) in one.name]
        # The folder of whoever handed something over stays, empty.
        self.assertEqual([one for folder in left for one in folder.glob("*/*")], [])
        self.assertTrue(left)

    def test_forms_that_are_none_are_refused(self):
        url = f"http://127.0.0.1:{self.house.port}/v1/audio/transcriptions"
        key = {"Authorization": f"Bearer {self.client.api_key}"}
        form = {**key, "Content-Type": "multipart/form-data; boundary=x"}
        for body in (b"", b"--x", b"--x\r\n", b"--x--", b"--x\r\nContent-Disposition: form-data; name=file\r\n\r\nabc",
                     b"--x\r\n" * 1000, b"--x\r\n" + b"a" * 100_000 + b"\r\n\r\n--x--"):
            self.assertEqual(httpx.post(url, headers=form, content=body).status_code, 400, body[:40])
        self.assertEqual(httpx.post(url, headers=key, json={}).status_code, 400)
        self.assertEqual(httpx.post(url, content=b"x").status_code, 401)


if __name__ == "__main__":
    unittest.main()
