/// The signs that TeX's commands stand for, in one table for all that is read as text.
enum FormulaSigns {
  /// Letters and what stands like one: nothing is put around them.
  static let letters = pairs(
    """
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
    nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ
    Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ emptyset ∅
    varnothing ∅ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ prime ′ degree ° dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ forall ∀ exists ∃
    nexists ∄ neg ¬ lnot ¬ angle ∠ triangle △ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace }
    vert | Vert ‖ lvert | rvert | lVert ‖ rVert ‖ sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂
    top ⊤ bot ⊥ dagger † checkmark ✓ square □ star ⋆ euro € pounds £
    """)

  /// What stands between two others, with room around it.
  static let operators = pairs(
    """
    cdot · times × div ÷ pm ± mp ∓ ast ∗ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ cap ∩ cup ∪ wedge ∧ land ∧
    vee ∨ lor ∨ setminus ∖ le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ lt < gt > ne ≠ neq ≠ equiv ≡ approx ≈ sim ∼
    simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ mid ∣ parallel ∥ perp ⟂
    to → rightarrow → longrightarrow ⟶ leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Longrightarrow ⟹ implies ⟹
    Leftarrow ⇐ Leftrightarrow ⇔ iff ⟺ mapsto ↦ uparrow ↑ downarrow ↓ therefore ∴ because ∵ colon : models ⊨ vdash ⊢
    rightleftharpoons ⇌ prec ≺ succ ≻ lesssim ≲ gtrsim ≳
    """)

  /// Words that are said as they are spelled.
  static let functions = Set(
    """
    lim max min sup inf limsup liminf argmax argmin sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg
    exp det dim ker deg gcd hom arg Pr mod
    """.split { $0.isWhitespace }.map(String.init))

  /// Room between two parts; `\!` takes some away.
  static let gaps: [String: String] = [
    ",": " ", ":": " ", ">": " ", ";": " ", " ": " ", "\n": " ", "!": "", "quad": " ", "qquad": " ", "thinspace": " ",
    "medspace": " ", "thickspace": " ", "enspace": " ", "negthinspace": "", "hfill": " ",
  ]

  /// Signs above one letter, as they follow it.
  static let accents: [String: String] = [
    "hat": "\u{302}", "widehat": "\u{302}", "bar": "\u{304}", "overline": "\u{305}", "vec": "\u{20D7}",
    "dot": "\u{307}", "ddot": "\u{308}", "tilde": "\u{303}", "widetilde": "\u{303}", "underline": "\u{332}",
  ]

  /// Words that only say how the next ones look.
  static let faces: Set<String> = [
    "mathrm", "mathbf", "boldsymbol", "bm", "mathit", "mathcal", "mathfrak", "mathsf", "mathtt", "mathscr", "text",
    "textrm", "textbf", "textit", "texttt", "mbox", "operatorname", "operatorname*", "mathop", "mathbin", "mathrel",
    "overbrace", "underbrace", "boxed", "ce",
  ]
  /// Words that say how something looks, and nothing in text.
  static let silent: Set<String> = [
    "left", "right", "middle", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl",
    "Biggr", "displaystyle", "textstyle", "scriptstyle", "limits", "nolimits", "nonumber", "notag",
  ]
  static let doubled: [String: String] = [
    "R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ", "P": "ℙ", "H": "ℍ", "E": "𝔼", "F": "𝔽",
  ]
  static let raised = pairs("0 ⁰ 1 ¹ 2 ² 3 ³ 4 ⁴ 5 ⁵ 6 ⁶ 7 ⁷ 8 ⁸ 9 ⁹ + ⁺ - ⁻ − ⁻ n ⁿ i ⁱ")
  static let lowered = pairs("0 ₀ 1 ₁ 2 ₂ 3 ₃ 4 ₄ 5 ₅ 6 ₆ 7 ₇ 8 ₈ 9 ₉ + ₊ - ₋ − ₋")

  private static func pairs(_ table: String) -> [String: String] {
    let words = table.split { $0.isWhitespace }.map(String.init)
    let found = stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
    return Dictionary(found, uniquingKeysWith: { one, _ in one })
  }
}
