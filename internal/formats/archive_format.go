package formats

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// archiveFormat decides what format an archive has by the names of its files, and by what one
// of them says, of which it unpacks a little.
func archiveFormat(archive *zip.Reader) (corpus.ContentType, error) {
	found := map[string]*zip.File{}
	folders := map[string]bool{}
	for _, f := range archive.File {
		name := partName(f.Name)
		found[name] = f
		if folder, _, within := strings.Cut(name, "/"); within {
			folders[folder] = true
		}
	}
	types := said(found["[content_types].xml"])
	switch {
	case found["xl/workbook.bin"] != nil:
		return "", kappa.NewError(kappa.CodeUnsupported, "The document is a binary workbook (xlsb), which is not read. "+saveAsXLSX+".")
	case found[docxBody] != nil:
		return corpus.ContentDOCX, nil
	case found[xlsxBody] != nil:
		return corpus.ContentXLSX, nil
	case found[pptxBody] != nil:
		return corpus.ContentPPTX, nil
	case found[strings.ToLower(epubContainer)] != nil && !strings.Contains(said(found["mimetype"]), "opendocument"):
		return corpus.ContentEPUB, nil
	}
	for _, f := range []struct {
		folder, kind string
		is           corpus.ContentType
	}{{"word", "wordprocessingml", corpus.ContentDOCX}, {"xl", "spreadsheetml", corpus.ContentXLSX}, {"ppt", "presentationml", corpus.ContentPPTX}} {
		if types != "" && (folders[f.folder] || strings.Contains(types, f.kind)) {
			return f.is, nil
		}
	}
	if found[odfBody] == nil {
		return "", nil
	}
	if kind := odfKind(said(found["mimetype"])); kind != "" {
		return kind, nil
	}
	return odfKind(said(found[strings.ToLower(odfManifest)])), nil
}

// said returns the beginning of a small file of an archive.
func said(f *zip.File) string {
	const most = 64 << 10
	if f == nil {
		return ""
	}
	file, err := openFile(f)
	if err != nil {
		return ""
	}
	defer file.Close()                                // it is only read
	text, _ := io.ReadAll(io.LimitReader(file, most)) // what could be read of it counts
	return string(text)
}

// odfKinds are the formats of OpenDocument, and of what was before it, by their names.
var odfKinds = []struct {
	name string
	is   corpus.ContentType
}{
	{"vnd.oasis.opendocument.text", corpus.ContentODT},
	{"vnd.oasis.opendocument.spreadsheet", corpus.ContentODS},
	{"vnd.oasis.opendocument.presentation", corpus.ContentODP},
	{"vnd.oasis.opendocument.graphics", corpus.ContentODP},
	{"vnd.sun.xml.writer", corpus.ContentODT},
	{"vnd.sun.xml.calc", corpus.ContentODS},
	{"vnd.sun.xml.impress", corpus.ContentODP},
	{"vnd.sun.xml.draw", corpus.ContentODP},
}

// odfKind returns the first format that a text names, or "".
func odfKind(text string) corpus.ContentType {
	at, kind := len(text), corpus.ContentType("")
	for _, k := range odfKinds {
		if i := strings.Index(text, k.name); i >= 0 && i < at {
			at, kind = i, k.is
		}
	}
	return kind
}

// flatODF recognises a document in the OpenDocument format that is one XML file, or returns "".
func flatODF(body []byte) corpus.ContentType {
	const head = 16 << 10
	text := bytes.TrimLeft(bytes.TrimPrefix(body[:min(len(body), head)], []byte(byteOrderMark)), " \t\r\n")
	if !bytes.HasPrefix(text, []byte("<?xml")) && !bytes.HasPrefix(text, []byte("<office:")) {
		return ""
	}
	_, after, found := bytes.Cut(text, []byte("<office:document"))
	_, mimetype, named := bytes.Cut(after, []byte("office:mimetype="))
	if !found || !named {
		return ""
	}
	const longest = 100
	return odfKind(string(mimetype[:min(len(mimetype), longest)]))
}
