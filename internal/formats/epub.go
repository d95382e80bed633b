package formats

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

const (
	epubContainer  = "META-INF/container.xml"
	epubEncryption = "META-INF/encryption.xml"
	// maxBookBytes is how much HTML of a book is read. Files of an archive may be the same
	// bytes, so that a small one has many of them.
	maxBookBytes = 128 << 20
)

// readEPUB makes Markdown of a book: its chapters in the order of its spine.
func readEPUB(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	archive, err := openArchive(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	book := epub{archive: archive, files: map[string]*zip.File{}, items: map[string]epubItem{}}
	for _, f := range slices.Backward(archive.File) { // the first of a name counts
		book.files[f.Name] = f
	}
	if err := book.open(); err != nil {
		return corpus.DocumentText{}, err
	}
	d := corpus.DocumentText{Markup: corpus.ContentMarkdown}
	var text strings.Builder
	read := map[string]bool{} // chapters, each of which stands in the spine once
	for _, id := range book.spine {
		item, ok := book.items[id]
		if !ok || item.navigation || !strings.Contains(item.kind, "html") || read[item.name] {
			continue
		}
		read[item.name] = true
		if book.locked[item.name] {
			return d, malformed("The book is encrypted (%s): remove its protection first.", item.name)
		}
		chapter, err := book.chapter(ctx, item.name)
		if err != nil {
			return d, err
		}
		if chapter = strings.TrimSpace(chapter); chapter != "" {
			text.WriteString(chapter + "\n\n")
		}
		if text.Len() > maxTextBytes {
			return d, tooLong()
		}
	}
	d.Text = strings.TrimSpace(text.String())
	return d, nil
}

// epub is a book that is being read.
type epub struct {
	archive *zip.Reader
	files   map[string]*zip.File
	items   map[string]epubItem // by their ids
	spine   []string            // ids in the order of reading
	locked  map[string]bool     // names of files that are encrypted
	read    int                 // bytes of chapters
}

type epubItem struct {
	name, kind string
	navigation bool
}

// open reads what the book consists of.
func (b *epub) open() error {
	root := ""
	if err := b.visit(epubContainer, func(e xml.StartElement) {
		if e.Name.Local == "rootfile" && root == "" {
			root = attribute(e, "full-path")
		}
	}); err != nil {
		return err
	}
	if err := b.visit(root, func(e xml.StartElement) {
		switch e.Name.Local {
		case "item":
			b.items[attribute(e, "id")] = epubItem{
				name: within(path.Dir(root), attribute(e, "href")), kind: attribute(e, "media-type"),
				navigation: strings.Contains(" "+attribute(e, "properties")+" ", " nav "),
			}
		case "itemref":
			b.spine = append(b.spine, attribute(e, "idref"))
		}
	}); err != nil {
		return err
	}
	b.locked = map[string]bool{}
	for _, f := range b.archive.File {
		if f.Name == epubEncryption {
			return b.visit(epubEncryption, func(e xml.StartElement) {
				if e.Name.Local == "CipherReference" {
					b.locked[within(".", attribute(e, "URI"))] = true
				}
			})
		}
	}
	return nil
}

// visit calls f with each element of a file.
func (b *epub) visit(name string, f func(xml.StartElement)) error {
	file, err := openEntry(b.archive, name)
	if err != nil {
		return err
	}
	defer file.Close()
	return elements(file, func(token xml.Token) error {
		if start, ok := token.(xml.StartElement); ok {
			f(start)
		}
		return nil
	})
}

// chapter returns the text of a file of the book.
func (b *epub) chapter(ctx context.Context, name string) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	f := b.files[name]
	if f == nil {
		return "", malformed("The document is broken: it has no %s.", name)
	}
	file, err := openFile(f)
	if err != nil {
		return "", err
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, maxHTMLBytes+1))
	if err != nil {
		return "", err
	}
	if b.read += len(body); b.read > maxBookBytes {
		return "", malformed("The chapters of the book have more than %d MB of HTML. Split it into smaller ones.", maxBookBytes>>20)
	}
	d, err := htmlText(ctx, body)
	return d.Text, err
}

// within returns the name in the archive of what a file in a folder refers to.
func within(folder, reference string) string {
	reference, _, _ = strings.Cut(reference, "#")
	if name, err := url.PathUnescape(reference); err == nil {
		reference = name
	}
	return strings.TrimPrefix(path.Join(folder, reference), "/")
}
