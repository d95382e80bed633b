package formats

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// manChars are the characters that a manual page names.
var manChars = map[string]string{
	"em": "—", "en": "–", "hy": "-", "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "aq": "'", "dq": `"`, "bu": "•", "co": "©", "rg": "®", "tm": "™",
	"<=": "≤", ">=": "≥", "->": "→", "<-": "←", "mu": "×", "de": "°", "ha": "^", "ti": "~", "ga": "`", "rs": `\`, "sl": "/", "ul": "_", "at": "@", "sh": "#",
	"Do": "$", "eu": "€", "Eu": "€", "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩", "bv": "|", "ba": "|", "+-": "±", "sc": "§", "dg": "†", "mi": "−", "==": "≡", "!=": "≠",
	"ss": "ß", "AE": "Æ", "ae": "æ", "OE": "Œ", "oe": "œ", "/O": "Ø", "/o": "ø", "/L": "Ł", "/l": "ł", "oA": "Å", "oa": "å", "-D": "Ð", "Sd": "ð", "TP": "Þ", "Tp": "þ", "IJ": "Ĳ", "ij": "ĳ", ".i": "ı",
	"Po": "£", "Ye": "¥", "ct": "¢", "12": "½", "14": "¼", "34": "¾", "Of": "ª", "Om": "º", "r!": "¡", "r?": "¿", "Fo": "«", "Fc": "»", "fo": "‹", "fc": "›", "Bq": "„", "bq": "‚", "ff": "ff", "fi": "fi", "fl": "fl", "Fi": "ffi", "Fl": "ffl",
	"no": "¬", "tmu": "×", "di": "÷", "mc": "µ", "if": "∞", "sr": "√", "*p": "π", "~~": "≈", "dd": "‡", "ps": "¶", "<>": "↔", "ua": "↑", "da": "↓", "lA": "⇐", "rA": "⇒", "sq": "□", "OK": "✓",
}

// manGreek are the letters of Greek in the order of those of Latin that name them behind a star.
const (
	manLatin = "abgdezyhiklmncoprstufxqwABGDEZYHIKLMNCOPRSTUFXQW"
	manGreek = "αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
)

// manAccents are the marks that stand before the letter in its name.
var manAccents = map[byte]string{'\'': "\u0301", '`': "\u0300", '^': "\u0302", ':': "\u0308", '~': "\u0303", ',': "\u0327", 'v': "\u030C"}

// manChar returns a character by its name, or "".
func manChar(name string) string {
	if char := manChars[name]; char != "" {
		return char
	}
	const accented = 2
	if digits, ok := strings.CutPrefix(name, "u"); ok {
		if n, err := strconv.ParseInt(digits, 16, 32); err == nil {
			return string(rune(n))
		}
	}
	if digits, ok := strings.CutPrefix(name, "char"); ok {
		return manNumbered(digits)
	}
	if len(name) != accented {
		return ""
	}
	if i := strings.IndexByte(manLatin, name[1]); name[0] == '*' && i >= 0 {
		return string([]rune(manGreek)[i])
	}
	if mark := manAccents[name[0]]; mark != "" && isLetter(name[1]) {
		return norm.NFC.String(name[1:] + mark)
	}
	return ""
}

// manNumbered returns a character by its number.
func manNumbered(digits string) string {
	n, err := strconv.ParseUint(digits, 10, 8)
	if err != nil {
		return ""
	}
	return string(rune(n))
}
