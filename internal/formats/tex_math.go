package formats

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// texSymbols are the commands that are a character, or a word of a formula.
var texSymbols = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
	"rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡", "sim": "∼", "propto": "∝", "infty": "∞", "partial": "∂", "nabla": "∇",
	"sum": "∑", "prod": "∏", "int": "∫", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "emptyset": "∅", "forall": "∀", "exists": "∃", "neg": "¬", "land": "∧", "lor": "∨", "to": "→", "rightarrow": "→",
	"leftarrow": "←", "Rightarrow": "⇒", "Leftarrow": "⇐", "iff": "⇔", "mapsto": "↦", "ldots": "…", "cdots": "…", "dots": "…", "sqrt": "√", "circ": "∘", "ell": "ℓ", "hbar": "ℏ", "star": "⋆", "langle": "⟨", "rangle": "⟩", "mid": "|", "vert": "|",
	"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "ı", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "dag": "†", "textbackslash": `\`, "textasciitilde": "~",
	"TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX", "textendash": "–", "textemdash": "—", "textquotedblleft": "“", "textquotedblright": "”", "textbar": "|", "textless": "<", "textgreater": ">", "textasciicircum": "^", "euro": "€",
	"quad": " ", "qquad": " ", "par": "\n\n", "newline": "\n", "linebreak": "\n", "item": "\n- ", "sin": "sin", "cos": "cos", "tan": "tan", "log": "log", "ln": "ln", "exp": "exp", "lim": "lim", "max": "max", "min": "min", "det": "det", "left": "", "right": "",
	"over": " / ", "setminus": "∖", "oplus": "⊕", "otimes": "⊗", "ll": "≪", "gg": "≫", "cong": "≅", "simeq": "≃", "perp": "⊥", "parallel": "∥", "wedge": "∧", "vee": "∨", "bullet": "•", "ast": "∗", "prime": "′", "vdots": "⋮", "ddots": "⋱",
	"longleftarrow": "⟵", "longrightarrow": "⟶", "longmapsto": "⟼", "hookrightarrow": "↪", "uparrow": "↑", "downarrow": "↓", "leftrightarrow": "↔", "Leftrightarrow": "⇔", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
	"supset": "⊃", "supseteq": "⊇", "bigcup": "⋃", "bigcap": "⋂", "oint": "∮", "vartheta": "ϑ", "upsilon": "υ", "lbrace": "{", "rbrace": "}", "colon": ":", "aleph": "ℵ", "vdash": "⊢", "models": "⊨", "subsetneq": "⊊",
}

// texFormulas are the environments of formulas.
var texFormulas = map[string]bool{"math": true, "displaymath": true, "equation": true, "align": true, "alignat": true, "eqnarray": true, "gather": true, "multline": true, "flalign": true}

// texSetting are the commands that say how a formula is set: they are none of its words.
var texSetting = map[string]bool{
	"mathbb": true, "mathrm": true, "mathcal": true, "mathbf": true, "mathfrak": true, "mathsf": true, "mathit": true, "mathtt": true, "mathscr": true, "text": true, "textrm": true, "textbf": true, "textit": true, "texttt": true, "mbox": true, "hbox": true, "vbox": true,
	"displaystyle": true, "textstyle": true, "scriptstyle": true, "scriptscriptstyle": true, "limits": true, "nolimits": true, "big": true, "Big": true, "bigg": true, "Bigg": true, "bigl": true, "bigr": true, "Bigl": true, "Bigr": true, "biggl": true, "biggr": true,
	"cal": true, "rm": true, "bf": true, "it": true, "sf": true, "tt": true, "frak": true, "operatorname": true, "hat": true, "bar": true, "tilde": true, "vec": true, "overline": true, "underline": true, "widehat": true, "widetilde": true, "dot": true, "ddot": true,
	"overbrace": true, "underbrace": true, "mathop": true, "mathrel": true, "mathbin": true, "mathord": true, "mathopen": true, "mathclose": true, "mathstrut": true, "nonumber": true, "notag": true, "hfill": true, "hskip": true, "kern": true, "mkern": true, "mskip": true,
	"thinspace": true, "phantom": true, "hphantom": true, "vphantom": true, "cr": true, "eqalign": true, "leqalignno": true, "eqalignno": true, "matrix": true, "pmatrix": true, "bmatrix": true, "cases": true, "stackrel": true, "overset": true, "underset": true,
	"binom": true, "strut": true, "null": true, "ensuremath": true, "boldsymbol": true, "bm": true, "protect": true, "relax": true, "noindent": true, "hline": true, "middle": true, "emph": true, "displaylines": true, "root": true, "of": true,
}

// isOperator reports a symbol that is a word in letters, such as sin: a space ends it.
func isOperator(name, symbol string) bool { return name == symbol && name[0] >= 'a' && name[0] <= 'z' }

// symbol writes what a command stands for. A word of letters is one by itself in a formula.
func (r *texReader) symbol(name, symbol string) {
	if !r.math || len(name) == 1 || name != symbol {
		r.out.WriteString(symbol)
		return
	}
	if last, _ := utf8.DecodeLastRuneInString(r.out.String()); unicode.IsLetter(last) {
		r.out.WriteByte(' ')
	}
	r.out.WriteString(symbol)
	if r.at < len(r.text) && (r.text[r.at] == '\\' || isLetter(r.text[r.at])) {
		r.out.WriteByte(' ')
	}
}

// number returns the character whose number follows: in decimal, octal behind ', hexadecimal
// behind " or as the character itself behind a grave accent.
func (r *texReader) number() string {
	rest := strings.TrimLeft(r.text[r.at:min(len(r.text), r.at+16)], " ")
	r.at += strings.Index(r.text[r.at:], rest)
	base, digits := 10, "0123456789"
	switch {
	case rest == "":
		return ""
	case rest[0] == '`':
		itself := strings.TrimPrefix(rest[1:], `\`)
		_, size := utf8.DecodeRuneInString(itself)
		r.at += len(rest) - len(itself) + size
		return itself[:size]
	case rest[0] == '\'':
		base, digits = 8, "01234567"
	case rest[0] == '"':
		base, digits = 16, "0123456789ABCDEF"
	}
	if base != 10 {
		rest = rest[1:]
		r.at++
	}
	length := len(rest) - len(strings.TrimLeft(rest, digits))
	n, err := strconv.ParseUint(rest[:length], base, 16)
	if r.at += length; err != nil {
		return ""
	}
	return string(rune(n))
}
