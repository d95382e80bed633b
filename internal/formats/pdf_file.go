package formats

import (
	"bytes"
	"context"
	"io"
	"strconv"

	"github.com/kappagraph/kappa"
)

// maxPDFObjects is how many objects of a PDF are looked at.
const maxPDFObjects = 5_000_000

// pdfFile finds the objects of a PDF by their beginnings, without its tables: those may
// lie, and PDFium reads files whose tables are broken. An object that the file has several
// times, as a changed one does, is each of them.
type pdfFile struct {
	body    []byte
	offsets map[pdfRef][]int       // in body, of what is in objects
	packed  map[pdfRef][][]byte    // the texts of objects that are in streams of objects
	objects map[pdfRef][]pdfObject // those that have been read
	spent   int                    // bytes that were unpacked
}

// pdfObject is an object, with the bytes of its stream if it has one.
type pdfObject struct {
	value  any
	stream []byte
}

// dict returns the dictionary that an object is or has.
func (o pdfObject) dict() pdfDict {
	d, _ := o.value.(pdfDict)
	return d
}

// openPDF finds the objects of a PDF.
func openPDF(ctx context.Context, body []byte) (*pdfFile, error) {
	f := &pdfFile{
		body: body, offsets: map[pdfRef][]int{}, packed: map[pdfRef][][]byte{}, objects: map[pdfRef][]pdfObject{},
	}
	var streams []pdfRef // of objects
	last := pdfRef(0)
	for at, n := 0, 0; n < maxPDFObjects; n++ {
		next, mark := nextMark(body, at)
		if next < 0 {
			break
		}
		at = next + len(mark)
		switch ref, ok := objectBefore(body, next); {
		case mark == "/ObjStm" && last > 0:
			streams = append(streams, last)
		case mark == "obj" && ok:
			f.offsets[ref] = append(f.offsets[ref], at)
			last = ref
		}
	}
	for _, ref := range streams {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, o := range f.get(ref) {
			if err := f.unpack(ctx, o); err != nil {
				return nil, err
			}
		}
	}
	f.objects = map[pdfRef][]pdfObject{} // what has been read may be in a stream, too
	return f, nil
}

// nextMark returns where the next beginning of an object is, or word for a stream of them.
func nextMark(body []byte, at int) (next int, mark string) {
	object := bytes.Index(body[at:], []byte("obj"))
	if object < 0 {
		object = len(body) - at
	}
	if stream := bytes.Index(body[at:at+object], []byte("/ObjStm")); stream >= 0 {
		return at + stream, "/ObjStm"
	}
	if at+object == len(body) {
		return -1, ""
	}
	return at + object, "obj"
}

// objectBefore returns the number of the object that begins with the word obj at an offset.
func objectBefore(body []byte, at int) (pdfRef, bool) {
	const longest = 40 // of both numbers
	number := func() string {
		end := at
		for at > 0 && isPDFSpace(body[at-1]) && end-at < longest {
			at--
		}
		end = at
		for at > 0 && isDigit(body[at-1]) && end-at < longest {
			at--
		}
		return string(body[at:end])
	}
	generation := number()
	n, err := strconv.Atoi(number())
	return pdfRef(n), err == nil && generation != ""
}

// unpack finds the objects in a stream of objects.
func (f *pdfFile) unpack(ctx context.Context, o pdfObject) error {
	first, _ := o.dict()["First"].(int)
	if o.dict()["Type"] != pdfName("ObjStm") || first <= 0 {
		return nil
	}
	r, err := f.decode(ctx, o)
	if err != nil || r == nil {
		return err
	}
	text, err := io.ReadAll(r)
	if ctx.Err() != nil || kappa.ErrorCode(err) == kappa.CodeMalformed {
		return err
	}
	if first > len(text) {
		return nil
	}
	numbers := pdfReader{text: text[:first]}
	for {
		ref, isRef := numbers.value(0).(int)
		offset, isOffset := numbers.value(0).(int)
		if !isRef || !isOffset {
			return nil
		}
		if at := first + offset; offset >= 0 && at < len(text) {
			f.packed[pdfRef(ref)] = append(f.packed[pdfRef(ref)], text[at:])
		}
	}
}

// get returns the objects of this number.
func (f *pdfFile) get(ref pdfRef) []pdfObject {
	if known, read := f.objects[ref]; read {
		return known
	}
	var found []pdfObject
	for _, at := range f.offsets[ref] {
		found = append(found, f.read(at))
	}
	for _, text := range f.packed[ref] {
		found = append(found, pdfObject{value: (&pdfReader{text: text}).value(0)})
	}
	f.objects[ref] = found
	return found
}

// read reads the object that begins at an offset.
func (f *pdfFile) read(at int) pdfObject {
	r := pdfReader{text: f.body, at: at}
	o := pdfObject{value: r.value(0)}
	if r.space(); r.word() != "stream" {
		return o
	}
	r.at += len(r.text[r.at:]) - len(bytes.TrimPrefix(bytes.TrimPrefix(r.text[r.at:], []byte("\r")), []byte("\n")))
	rest := r.text[r.at:]
	if n, ok := o.dict()["Length"].(int); ok && n >= 0 && n <= len(rest) && bytes.HasPrefix(bytes.TrimLeft(rest[n:min(len(rest), n+16)], "\r\n \t"), []byte("endstream")) {
		o.stream = rest[:n]
		return o
	}
	if end := bytes.Index(rest, []byte("endstream")); end >= 0 {
		rest = rest[:end]
	}
	o.stream = rest
	return o
}

// resolve returns what a value is, or what the objects are that it refers to.
func (f *pdfFile) resolve(v any) []pdfObject {
	ref, ok := v.(pdfRef)
	if !ok {
		return []pdfObject{{value: v}}
	}
	return f.get(ref)
}
