package formats

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode/utf32"

	utf16 "golang.org/x/text/encoding/unicode"

	"github.com/kappagraph/kappa/corpus"
)

// decode returns a text in UTF-8: as it is, or decoded when it is certain what it is
// encoded in, which warning then says. Otherwise it refuses the document.
func decode(body []byte) (text []byte, warning string, err error) {
	if name, from := wideEncoding(body); name != "" {
		decoded, err := from.NewDecoder().Bytes(body)
		if err != nil || bytes.IndexByte(decoded, 0) >= 0 || 100*bytes.Count(decoded, []byte("\uFFFD")) > len(decoded) {
			return nil, "", malformed("The document seems to be encoded in %s, and is not. Convert it to UTF-8 first, for example with: iconv -f %s -t UTF-8 FILE", name, name)
		}
		return bytes.TrimPrefix(decoded, []byte(byteOrderMark)), "Read as " + name, nil
	}
	if decoded, name := decodeEscapes(body); name != "" {
		return decoded, "Read as " + name, nil
	}
	invalid := invalidOffset(body)
	if invalid < 0 {
		return body, "", nil
	}
	if decoded, said, ok := mostlyUTF8(body); ok {
		return decoded, said, nil
	}
	if from, said := guessed(body); from != nil {
		if decoded, err := from.NewDecoder().Bytes(body); err == nil {
			return decoded, said, nil
		}
	}
	return nil, "", malformed("The document is not valid UTF-8: byte 0x%02X at offset %d (line %d). Convert it first, for example with: iconv -f %s -t UTF-8 FILE",
		body[invalid], invalid, lineAt(body, invalid), likelyCharset(body))
}

// wideEncoding recognises UTF-16 and UTF-32 by their byte order mark, and UTF-16
// without one by its zeros: in mostly Western text they are every second byte.
func wideEncoding(body []byte) (string, encoding.Encoding) {
	for _, m := range []struct {
		mark, name string
		from       encoding.Encoding
	}{
		{"\xFF\xFE\x00\x00", "UTF-32", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
		{"\x00\x00\xFE\xFF", "UTF-32", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
		{"\xFF\xFE", "UTF-16", utf16.UTF16(utf16.LittleEndian, utf16.UseBOM)},
		{"\xFE\xFF", "UTF-16", utf16.UTF16(utf16.BigEndian, utf16.UseBOM)},
	} {
		if bytes.HasPrefix(body, []byte(m.mark)) {
			return m.name, m.from
		}
	}
	const sample = 1024
	head := body[:min(len(body), sample)]
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	half := len(head) / 2
	switch {
	case half < 4: // too short to decide
	case zeros[1] >= half*9/10 && zeros[0] <= half/10:
		return "UTF-16LE", utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM)
	case zeros[0] >= half*9/10 && zeros[1] <= half/10:
		return "UTF-16BE", utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM)
	}
	return "", nil
}

// westernLanguages are the ones that Windows-1252, and Latin-1 in it, is used for.
var westernLanguages = map[string]bool{
	"English": true, "German": true, "French": true, "Spanish": true, "Italian": true, "Portuguese": true, "Dutch": true,
	"Swedish": true, "Danish": true, "Finnish": true, "Indonesian": true,
}

// westernMarks are the characters beside letters that such texts have.
const westernMarks = "€‚„…‘’“”•–—™‹›«»°±²³·¿¡§©®£¥µ¼½¾ªº´× \u00a0\u00ad"

// western decodes a text in Windows-1252, and names its language, or returns nil when
// it is not certain that it is one: bytes that it has no characters for, sequences
// that are UTF-8, more accents than any of these languages has, or no such language.
func western(body []byte) (decoded []byte, language string) {
	if utf8Sequences(body) || bytes.ContainsFunc(body, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f", r) }) {
		return nil, ""
	}
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(body)
	if err != nil {
		return nil, ""
	}
	letters, accents := 0, 0
	for _, r := range string(decoded) {
		switch {
		case r < utf8.RuneSelf:
			if unicode.IsLetter(r) {
				letters++
			}
		case unicode.IsLetter(r):
			letters++
			accents++
		case !strings.ContainsRune(westernMarks, r):
			return nil, ""
		}
	}
	const (
		most  = 5 // of letters, one is accented
		whole = 0.97
	)
	l := corpus.LanguageOf(string(decoded))
	if most*accents > letters || wholeWords(string(decoded)) < whole || !westernLanguages[l.Name] {
		return nil, ""
	}
	return decoded, l.Name
}

// utf8Sequences reports characters beyond ASCII that are valid UTF-8.
func utf8Sequences(body []byte) bool {
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		if r, size := utf8.DecodeRune(body[i:]); r != utf8.RuneError || size > 1 {
			return true
		}
		i++
	}
	return false
}

// invalidOffset returns where body stops being UTF-8, or -1.
func invalidOffset(body []byte) int {
	if utf8.Valid(body) {
		return -1
	}
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

func lineAt(body []byte, offset int) int { return bytes.Count(body[:offset], []byte("\n")) + 1 }
