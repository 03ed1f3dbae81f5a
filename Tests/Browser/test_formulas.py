"""Formulas in answers: shown as MathML, without anything being fetched for them; what is none of them stays what it is."""

import unittest

import stage
from page import Page

SHOW = """
  const [record, done] = arguments;
  import('/js/answer.js').then(({ answer }) => {
    const made = answer({ record, question: 'What?' });
    // Beside the transcript, which is drawn anew while the page finds out what there is.
    document.querySelector('.scroll').append(made.element);
    made.element.scrollIntoView();
    made.element.addEventListener('grown', () => done(null), { once: true });
  }, (failure) => done(String(failure)));"""


@unittest.skipIf(stage.FIREFOX, "what a test imports there is another module than the page's")
class FormulasTest(Page):
    def show(self, answer, *sentences):
        record = {"answer": answer, "sentences": [{"text": one, "support": [], "supported": True} for one in sentences], "citations": [],
                  "provider": "local", "mode": "fast", "task": "talk", "retrieval_used": False}
        self.assertIsNone(self.driver.execute_async_script(SHOW, record))

    def drawn(self):
        return self.driver.execute_script("return [...document.querySelectorAll('.words math')].map((one) => [one.getAttribute('display'), one.getAttribute('alttext'), one.textContent.replace(/\\s/g, '')])")

    def test_formulas_are_drawn_and_nothing_is_fetched_for_them(self):
        self.driver.execute_script("performance.clearResourceTimings()")
        self.show("The roots are\n\n$$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$\n\nand \\(e^{i\\pi} + 1 = 0\\) is a_b_c, as $\\sum_{k=1}^n k = \\tfrac{n(n+1)}{2}$ is.\n\n"
                  "\\[\\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix} \\in \\mathbb{R}^{2 \\times 2}\\]")
        block, inline, sum_, matrix = self.drawn()
        self.assertEqual(block[:2], ["block", "x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}"])
        self.assertEqual(block[2].replace("√", ""), "x=−b±b2−4ac2a")
        self.assertEqual(inline, ["inline", "e^{i\\pi} + 1 = 0", "eiπ+1=0"])
        self.assertEqual(sum_[2], "∑k=1nk=n(n+1)2")
        self.assertEqual(matrix[2], "(1001)∈ℝ2×2")
        self.assertEqual(self.driver.execute_script("return ['mfrac', ':is(msqrt, .rooted)', 'msup', 'munderover', 'mtable'].filter((name) => !document.querySelector('.words ' + name))"), [])
        # What is drawn has a size: the browser knows these elements.
        self.assertGreater(self.driver.execute_script("return document.querySelector('.words math[display=block]').getBoundingClientRect().height"), 30)
        fetched = self.driver.execute_script("return performance.getEntriesByType('resource').map((one) => new URL(one.name).host)")
        self.assertEqual(set(fetched), {self.base.split("/")[2]})
        self.clean("formulas")
        self.shot("formulas")

    def test_amounts_and_code_are_no_formulas_and_what_is_not_understood_stays(self):
        self.show("It costs $5 and later $10, or US$7 and $8.\n\nWrite `$HOME/$USER` or\n\n```sh\necho $A $B\n```\n\nand $\\unheard{x}$ and $x^2^3$.")
        self.assertEqual(self.drawn(), [])
        self.assertIn("It costs $5 and later $10, or US$7 and $8.", self.text(".words"))
        self.assertIn("$HOME/$USER", self.text(".words"))
        self.assertIn("echo $A $B", self.text(".words"))
        self.assertEqual(self.driver.execute_script("return [...document.querySelectorAll('.words p code')].map((one) => one.textContent)"),
                         ["$HOME/$USER", "$\\unheard{x}$", "$x^2^3$"])

    def test_hostile_formulas_and_code_cost_no_more_than_themselves(self):
        deep, roots = "{" * 5000 + "x" + "}" * 5000, "\\sqrt{" * 300 + "x" + "}" * 300
        odd = ["$\\constructor$", "$\\begin{constructor} x \\end{constructor}$", "$\\mathbb{toString}$", f"${deep}$", f"${roots}$"]
        self.show("\n\n".join(["Before $x^2$.", *odd, "```constructor\nx = 1\n```", "```__proto__\ny\n```", "After $y_1$."]))
        self.assertEqual([one[2] for one in self.drawn()], ["x2", "toString", "y1"])
        self.assertEqual(self.driver.execute_script("return [...document.querySelectorAll('.words .codebox')].map((one) => one.querySelector('code').textContent.trim())"), ["x = 1", "y"])

    def test_a_sentence_with_a_formula_is_still_marked_as_one(self):
        self.show("Energy is $E = mc^2$ here. Nothing else.", "Energy is $E = mc^2$ here.", "Nothing else.")
        self.assertEqual(self.driver.execute_script("return [...document.querySelectorAll('.words [data-s=\"0\"]')].map((one) => one.textContent.trim()).join(' ').replace(/\\s+/g, ' ')"),
                         "Energy is E=mc2 here.")


if __name__ == "__main__":
    unittest.main()
