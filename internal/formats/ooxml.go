package formats

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"path"
	"slices"
	"strings"
)

// parts are the files of an archive in the format of Office, which refer to each other by
// relationships. Names count in letters of any case.
type parts struct {
	files map[string]*zip.File
}

// relation is what a part refers to.
type relation struct {
	kind   string // the last part of its type
	target string // the name of a part
}

// openParts reads the directory of an archive.
func openParts(body []byte) (parts, error) {
	archive, err := openArchive(body)
	if err != nil {
		return parts{}, err
	}
	p := parts{files: map[string]*zip.File{}}
	for _, f := range slices.Backward(archive.File) { // the first of a name counts
		p.files[partName(f.Name)] = f
	}
	return p, nil
}

func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

func (p parts) has(name string) bool { return p.files[partName(name)] != nil }

// visit calls f with each token of a part.
func (p parts) visit(ctx context.Context, name string, f func(xml.Token) error) error {
	file := p.files[partName(name)]
	if file == nil {
		return malformed("The document is broken: it has no %s.", name)
	}
	opened, err := openFile(file)
	if err != nil {
		return err
	}
	defer opened.Close() // it is only read
	return elements(opened, func(token xml.Token) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return f(token)
	})
}

// relations returns what a part refers to, by identifiers, and in their order; "" is the
// archive as a whole. A part without relationships refers to nothing.
func (p parts) relations(ctx context.Context, part string) (byID map[string]relation, list []relation) {
	byID = map[string]relation{}
	folder, name := path.Split(part)
	file := path.Join(folder, "_rels", name+".rels")
	if !p.has(file) {
		return byID, nil
	}
	_ = p.visit(ctx, file, func(token xml.Token) error { // what could be read of it counts
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "Relationship" || attribute(start, "TargetMode") == "External" {
			return nil
		}
		r := relation{kind: path.Base(attribute(start, "Type"))}
		target := attribute(start, "Target")
		if strings.HasPrefix(target, "/") {
			r.target = within(".", target)
		} else {
			r.target = within(folder, target)
		}
		byID[attribute(start, "Id")] = r
		list = append(list, r)
		return nil
	})
	return byID, list
}

// mainPart returns the name of the part that the document is: what the archive refers to, or
// else the usual one.
func (p parts) mainPart(ctx context.Context, usual string) string {
	_, list := p.relations(ctx, "")
	for _, r := range list {
		if r.kind == "officeDocument" && p.has(r.target) {
			return r.target
		}
	}
	return usual
}

// related returns the parts of a kind that a part refers to.
func (p parts) related(ctx context.Context, part, kind string) []string {
	var names []string
	_, list := p.relations(ctx, part)
	for _, r := range list {
		if r.kind == kind && p.has(r.target) {
			names = append(names, r.target)
		}
	}
	return names
}
