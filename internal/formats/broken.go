package formats

import (
	"archive/zip"
	"bytes"
	"strings"
	"unicode/utf8"
)

// cutShort refuses an archive of which a part is missing: it begins as one, and its directory is not
// at its end.
func cutShort(body []byte) error {
	if !bytes.HasPrefix(body, []byte(zipSignature)) || utf8.Valid(body) {
		return nil
	}
	if _, err := zip.NewReader(bytes.NewReader(body), int64(len(body))); err != nil {
		return malformed("The document is %s of which the end is missing, or that is broken (%v). Save it again, and submit the whole file.", packedKind(body), err)
	}
	return nil
}

// packedKind names an archive by the names of its first files.
func packedKind(body []byte) string {
	const head = 4096
	start := string(body[:min(len(body), head)])
	for _, k := range []struct{ sign, kind string }{
		{"word/", "a Word document (docx)"},
		{"xl/", "an Excel workbook (xlsx)"},
		{"ppt/", "a presentation (pptx)"},
		{"opendocument", "an OpenDocument file"},
		{"epub", "a book (EPUB)"},
		{"[Content_Types].xml", "an Office document"},
	} {
		if strings.Contains(start, k.sign) {
			return k.kind
		}
	}
	return "an archive (application/zip)"
}
