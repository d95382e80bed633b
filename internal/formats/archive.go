package formats

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// The limits of a document that is a zip archive.
const (
	maxEntries = 10_000
	// maxEntryBytes is how much of one file of an archive is unpacked.
	maxEntryBytes = 128 << 20
	// maxRatio is how many times larger than packed a file may be, if it is large:
	// the text of a real document has a ratio of 5 to 30.
	maxRatio   = 250
	ratioAfter = 8 << 20
	// maxDepth is how deep elements may be nested.
	maxDepth = 200
)

// zipSignature is what an archive begins with.
const zipSignature = "PK\x03\x04"

// container recognises the formats that begin with a signature, or returns "". It refuses
// those of them that it knows are not read.
func container(body []byte) (corpus.ContentType, error) {
	switch {
	case isPDF(body):
		return corpus.ContentPDF, nil
	case bytes.HasPrefix(body, []byte(oleSignature)):
		return oleFormat(body)
	case isRTF(body):
		return corpus.ContentRTF, nil
	case !bytes.HasPrefix(body, []byte(zipSignature)):
		return image(body), nil
	}
	archive, err := openArchive(body)
	if err != nil {
		return "", nil //nolint:nilerr // what is wrong is said when it is read
	}
	return archiveFormat(archive)
}

// isPDF reports whether a document begins as a PDF does, or soon after other bytes and has an
// object of one. Its last line may be missing.
func isPDF(body []byte) bool {
	const within = 1024 // readers accept some bytes before the signature
	head := body[:min(len(body), within)]
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\f\x00"), []byte("%PDF-")) {
		return true
	}
	return bytes.Contains(head, []byte("\n%PDF-1.")) && (bytes.Contains(body, []byte("%%EOF")) || bytes.Contains(body, []byte(" 0 obj")))
}

// image recognises the images that are described, or returns "".
func image(body []byte) corpus.ContentType {
	for _, s := range []struct {
		begin string
		is    corpus.ContentType
	}{{"\x89PNG\r\n\x1a\n", corpus.ContentPNG}, {"\xff\xd8\xff", corpus.ContentJPEG}, {"GIF87a", corpus.ContentGIF}, {"GIF89a", corpus.ContentGIF}} {
		if bytes.HasPrefix(body, []byte(s.begin)) && !utf8.Valid(body) {
			return s.is
		}
	}
	const head = 12
	if len(body) >= head && string(body[:4]) == "RIFF" && string(body[8:head]) == "WEBP" {
		return corpus.ContentWebP
	}
	return ""
}

// checkEntries refuses an archive of too many files before its directory is read, which
// takes much memory for each.
func checkEntries(body []byte) error {
	if n := bytes.Count(body, []byte("PK\x01\x02")); n > maxEntries {
		return malformed("The document is an archive of %d files; at most %d are read.", n, maxEntries)
	}
	return nil
}

// openArchive reads the directory of an archive.
func openArchive(body []byte) (*zip.Reader, error) {
	if err := checkEntries(body); err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, malformed("The document is broken: %v.", err)
	}
	return archive, nil
}

// entry is a file of an archive that counts what is unpacked of it, whatever the
// archive says about its size.
type entry struct {
	io.ReadCloser
	name   string
	packed uint64
	read   uint64
}

// openEntry opens a file of an archive; its reading fails at the limits.
func openEntry(archive *zip.Reader, name string) (*entry, error) {
	for _, f := range archive.File {
		if f.Name != name {
			continue
		}
		return openFile(f)
	}
	return nil, malformed("The document is broken: it has no %s.", name)
}

// openFile opens a file of an archive.
func openFile(f *zip.File) (*entry, error) {
	if f.Flags&1 != 0 {
		return nil, malformed("The document is encrypted: remove its password first.")
	}
	unpacked, err := f.Open()
	if err != nil {
		return nil, malformed("The document is broken: %s: %v.", f.Name, err)
	}
	return &entry{ReadCloser: unpacked, name: f.Name, packed: f.CompressedSize64}, nil
}

// Read counts what is read.
func (e *entry) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.read += uint64(n)
	if e.read > maxEntryBytes || e.read > ratioAfter && e.read/maxRatio > e.packed {
		return 0, malformed("The document unpacks to more than is read: %s has over %s.", e.name, corpus.HumanSize(int(e.read)))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = malformed("The document is broken: %s: %v.", e.name, err)
	}
	return n, err
}

// elements calls visit with each token of an XML file; elements that close have
// been opened. It fails at the limit of depth.
func elements(r io.Reader, visit func(xml.Token) error) error {
	d := xml.NewDecoder(r)
	for depth := 0; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if kappa.ErrorCode(err) == kappa.CodeMalformed {
				return err
			}
			return malformed("The document is broken: %v.", err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if depth > maxDepth {
			return malformed("The document nests its elements deeper than %d.", maxDepth)
		}
		if err := visit(token); err != nil {
			return err
		}
	}
}
