"""The page while the device heats up and cools down: what changes is seen with its reason, while an answer is written and after."""

import pathlib
import shutil
import tempfile

from selenium.webdriver.common.keys import Keys

import page
import stage


class RampTest(page.Page):
    @classmethod
    def raised(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="libera-ramp-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        # The same ramp again and again, so that some answer is under way at each of its steps on any machine.
        lines = ['{"t_ms": 0, "thermal": "nominal"}']
        for start in range(0, 2400, 48):
            for at, heat in ((6, "serious"), (14, "critical"), (16, "nominal")):
                lines.append(f'{{"t_ms": {(start + at) * 1000}, "thermal": "{heat}"}}')
        (folder / "ramp.jsonl").write_text("\n".join(lines) + "\n")
        return stage.House("--simulate", str(folder / "ramp.jsonl"), hears=False)

    def test_a_deep_answer_paces_shrinks_falls_to_fast_and_recovers_before_ones_eyes(self):
        self.click("[name=mode][value=deep]")
        self.driver.execute_script("""
          window.seen = new Set();
          new MutationObserver(() => {
            for (const line of document.querySelectorAll('.turn.answer p[role=status]')) if (line.checkVisibility()) seen.add(line.innerText);
          }).observe(document.getElementById('main'), { subtree: true, childList: true, characterData: true, attributes: true });""")
        wanted = {"pauses between words": "paces", "a shorter answer": "shrinks", "Fast instead of Deep": "falls", "recovered": "recovers"}
        missing, shots = dict(wanted), 0
        for number in range(200):
            self.driver.execute_script("document.querySelector('[aria-label=\"Kind of question\"]').value = 'talk'")
            before = len(self.all(".turn.answer"))
            self.one("#question").send_keys(f"Tell me a very long story about the sea, with many chapters, part {number}.", Keys.ENTER)
            self.wait(lambda: len(self.all(".turn.answer")) > before)

            def settled():
                nonlocal shots
                now = self.driver.execute_script("return [...seen].join('\\n')")
                for words in [words for words in missing if words in now]:
                    self.shot(f"ramp-{missing.pop(words)}")
                    shots += 1
                return self.driver.execute_script(
                    "return Boolean([...document.querySelectorAll('.turn.answer')].at(-1).querySelector('.facts')?.innerText)")
            self.wait(settled, "the answer ends")
            if not missing:
                break
        self.assertEqual(missing, {}, "changes that were never shown")
        self.hit("while it was written", ".facts button")
        self.sees("hot", "dialog")
        self.clean("ramp-changes")
        self.shot("ramp-record")


if __name__ == "__main__":
    import unittest
    unittest.main()
