package formats

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	utf16 "golang.org/x/text/encoding/unicode"
)

// The code pages that have a number of their own here, beside those of Windows.
const (
	pageMac    = 10000
	pageSymbol = 42
	pageUTF8   = 65001
	pageUTF16  = 1200
)

// pages are the encodings of code pages, by the numbers of Windows.
var pages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 858: charmap.CodePage858,
	860: charmap.CodePage860, 862: charmap.CodePage862, 863: charmap.CodePage863, 865: charmap.CodePage865, 866: charmap.CodePage866,
	874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258,
	pageMac: charmap.Macintosh, 10007: charmap.MacintoshCyrillic, 20866: charmap.KOI8R, 21866: charmap.KOI8U,
	28591: charmap.ISO8859_1, 28592: charmap.ISO8859_2, 28595: charmap.ISO8859_5, 28605: charmap.ISO8859_15,
	50220: japanese.ISO2022JP, 51932: japanese.EUCJP, 54936: simplifiedchinese.GB18030,
	pageUTF16: utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM), pageUTF8: utf16.UTF8,
}

// pageOfCharset returns the code page of a charset of fonts, or 0 for that of the document.
func pageOfCharset(charset int) int {
	return map[int]int{
		0: 1252, 2: pageSymbol, 77: pageMac, 128: 932, 129: 949, 130: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
		177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
	}[charset]
}

// pageOfLanguage returns the code page that Windows has for a language, by its number there.
func pageOfLanguage(language byte) int {
	page := map[byte]int{
		0x01: 1256, 0x02: 1251, 0x05: 1250, 0x08: 1253, 0x0D: 1255, 0x0E: 1250, 0x11: 932, 0x12: 949, 0x15: 1250, 0x18: 1250, 0x19: 1251,
		0x1B: 1250, 0x1E: 874, 0x1F: 1254, 0x22: 1251, 0x23: 1251, 0x24: 1250, 0x25: 1257, 0x26: 1257, 0x27: 1257,
	}[language]
	if page == 0 {
		return 1252
	}
	return page
}

// decodePage decodes text in a code page; an unknown one is Windows-1252.
func decodePage(text []byte, page int) string {
	if page == pageSymbol {
		return symbols(text)
	}
	from := pages[page]
	if from == nil {
		from = charmap.Windows1252
	}
	decoded, err := from.NewDecoder().Bytes(text)
	if err != nil {
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return string(decoded)
}

// symbols decodes text in the font Symbol, of which the letters and some marks are read.
func symbols(text []byte) string {
	const small, capital = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
	marks := map[byte]string{0xA3: "≤", 0xB3: "≥", 0xB0: "°", 0xB1: "±", 0xB4: "×", 0xB8: "÷", 0xB9: "≠", 0xBB: "≈", 0xAE: "→", 0xB7: "•", 0xA5: "∞", 0xE5: "∑", 0xF2: "∫", 0xD6: "√"}
	var b strings.Builder
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z':
			b.WriteRune([]rune(small)[c-'a'])
		case c >= 'A' && c <= 'Z':
			b.WriteRune([]rune(capital)[c-'A'])
		case c >= ' ' && c < 0x7F:
			b.WriteByte(c)
		default:
			b.WriteString(marks[c])
		}
	}
	return b.String()
}
