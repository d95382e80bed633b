package formats

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/kappagraph/kappa"
)

const (
	// maxPDFContent is how much PDFium has to read of a PDF, in bytes: what its pages are
	// described by, unpacked, as often as it is shown. It reads some MB of it in a second,
	// so that more is not read within maxTime.
	maxPDFContent = 256 << 20
	// formBytes is what it costs to show a form, in bytes of description.
	formBytes = 128
	// maxPDFForms is how deep PDFium shows forms within each other.
	maxPDFForms = 40
	// formNames is the longest name of a form, in bytes.
	formNames = 128
)

// checkPDF refuses a PDF that takes PDFium longer than is allowed: a few forms that show
// each other many times become a large page, and so does what is packed again and again.
// It looks at what PDFium will read, and needs no more than to find the pages, their
// forms and who shows whom. A file in which it does not find them passes, as an encrypted
// one does: such a document has the limits of memory and time alone.
func checkPDF(ctx context.Context, body []byte) error {
	f, err := openPDF(ctx, body)
	if err != nil {
		return err
	}
	w := pdfWork{file: f, described: map[pdfRef]description{}, resources: map[pdfRef]*resources{}, forms: map[formKey]*form{}, pages: map[pdfRef]float64{}}
	for _, root := range f.roots() {
		for _, catalog := range f.get(root) {
			w.total, w.nodes = 0, 0
			if err := w.tree(ctx, catalog.dict()["Pages"], nil, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// roots returns what the trailers of a file refer to as its catalog.
func (f *pdfFile) roots() []pdfRef {
	var roots []pdfRef
	seen := map[pdfRef]bool{}
	for rest := f.body; ; {
		_, after, found := bytes.Cut(rest, []byte("/Root"))
		if !found {
			return roots
		}
		rest = after
		if ref, ok := (&pdfReader{text: rest[:min(len(rest), formNames)]}).value(0).(pdfRef); ok && !seen[ref] {
			seen[ref] = true
			roots = append(roots, ref)
		}
	}
}

// pdfWork sums up what the pages of a file take to be read.
type pdfWork struct {
	file      *pdfFile
	described map[pdfRef]description
	resources map[pdfRef]*resources
	forms     map[formKey]*form
	pages     map[pdfRef]float64 // what those take that are known
	nodes     int                // of the tree of pages, that have been seen
	total     float64
}

// tree adds up the pages below a node, which have its resources unless they have their own.
func (w *pdfWork) tree(ctx context.Context, node any, inherited *resources, depth int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if w.nodes++; depth > maxPDFDepth || w.nodes > 2*maxPages {
		return nil // PDFium has its own limit of depth, and maxPages is checked
	}
	for _, o := range w.file.resolve(node) {
		d := o.dict()
		within := inherited
		if own := w.resourcesOf(d); own != nil {
			within = own
		}
		kids := w.file.list(d["Kids"])
		for _, kid := range kids {
			if err := w.tree(ctx, kid, within, depth+1); err != nil {
				return err
			}
		}
		if len(kids) == 0 {
			if err := w.page(ctx, node, d, within); err != nil {
				return err
			}
		}
	}
	return nil
}

// page adds what a page takes.
func (w *pdfWork) page(ctx context.Context, node any, d pdfDict, within *resources) error {
	ref, _ := node.(pdfRef)
	work, known := w.pages[ref]
	if !known {
		page := &form{shows: map[*form]float64{}}
		batch := []*form{page}
		for _, content := range w.file.list(d["Contents"]) {
			for _, v := range w.file.list(content) { // the list may be an object of its own
				if err := w.add(ctx, page, v, within, &batch); err != nil {
					return err
				}
			}
		}
		if err := w.complete(ctx, batch); err != nil {
			return err
		}
		work = page.work
		w.pages[ref] = work
	}
	if w.total += work; w.total > maxPDFContent {
		return malformed("The pages of the PDF have more than %d MB to read, counted as often as they are shown. Split it, print it to a new PDF, or extract the text first.", maxPDFContent>>20)
	}
	return nil
}

// add adds what a stream describes to a form. Forms that are not known yet come into the
// batch, to be completed.
func (w *pdfWork) add(ctx context.Context, to *form, stream any, within *resources, batch *[]*form) error {
	described, err := w.describe(ctx, stream)
	if err != nil {
		return err
	}
	to.bytes += float64(described.bytes)
	if within == nil {
		return nil
	}
	for name, times := range described.shows {
		for _, v := range within.forms[name] {
			ref, isRef := v.(pdfRef)
			if !isRef {
				continue
			}
			if shown := w.form(ref, within, batch); shown != nil {
				to.shows[shown] += float64(times)
			}
		}
	}
	return nil
}

// form returns the form of this number, or nil for what is none.
func (w *pdfWork) form(ref pdfRef, within *resources, batch *[]*form) *form {
	var own *resources
	isForm := false
	for _, o := range w.file.get(ref) {
		if o.stream != nil && o.dict()["Subtype"] == pdfName("Form") {
			isForm = true
			if r := w.resourcesOf(o.dict()); r != nil {
				own = r
			}
		}
	}
	key := formKey{ref: ref}
	switch {
	case !isForm:
		return nil
	case own == nil:
		key.within = within
	default:
		within = own
	}
	f := w.forms[key]
	if f == nil {
		f = &form{ref: ref, within: within, shows: map[*form]float64{}}
		w.forms[key] = f
		*batch = append(*batch, f)
	}
	return f
}

// complete describes the forms of a batch, and all that they show, and counts what they
// take: with what is shown by them as deep as PDFium shows it.
func (w *pdfWork) complete(ctx context.Context, batch []*form) error {
	for i := 0; ; i++ { // the batch grows
		if i == len(batch) {
			break
		}
		if f := batch[i]; f.ref > 0 {
			if err := w.add(ctx, f, f.ref, f.within, &batch); err != nil {
				return err
			}
		}
	}
	for range maxPDFForms {
		changed := false
		for _, f := range slices.Backward(batch) {
			work := f.bytes
			for shown, times := range f.shows {
				work += times * (formBytes + shown.work)
			}
			work = min(work, 2*maxPDFContent)
			changed = changed || work != f.work
			f.work = work
		}
		if !changed {
			break
		}
	}
	return nil
}

// formKey is a form as it is shown: one without resources has those of who shows it.
type formKey struct {
	ref    pdfRef
	within *resources // nil for one that has its own
}

// resources say what the names of forms stand for in a description.
type resources struct{ forms map[pdfName][]any }

// form is what shows something: a form, or a page.
type form struct {
	ref    pdfRef // 0 is a page
	within *resources
	bytes  float64           // of its own description
	shows  map[*form]float64 // how often it shows others
	work   float64           // with all that it shows
}

// resourcesOf returns the resources that a page or a form has itself, or nil.
func (w *pdfWork) resourcesOf(d pdfDict) *resources {
	v := d["Resources"]
	if v == nil {
		return nil
	}
	ref, isRef := v.(pdfRef)
	if known := w.resources[ref]; isRef && known != nil {
		return known
	}
	r := &resources{forms: map[pdfName][]any{}}
	for _, o := range w.file.resolve(v) {
		for _, named := range w.file.resolve(o.dict()["XObject"]) {
			for name, v := range named.dict() {
				r.forms[name] = append(r.forms[name], v)
			}
		}
	}
	if isRef {
		w.resources[ref] = r
	}
	return r
}

// list returns the values of a list, or the one value that is none.
func (f *pdfFile) list(v any) []any {
	var values []any
	for _, o := range f.resolve(v) {
		switch list, isList := o.value.([]any); {
		case isList:
			values = append(values, list...)
		case o.value != nil:
			values = append(values, v)
		}
	}
	return values
}

// description is how long a stream is, unpacked, and how often it shows what by name.
type description struct {
	bytes int
	shows map[pdfName]int
}

// describe reads what a stream describes, as often as the file has it.
func (w *pdfWork) describe(ctx context.Context, stream any) (description, error) {
	ref, _ := stream.(pdfRef)
	d, known := w.described[ref]
	if known {
		return d, nil
	}
	d.shows = map[pdfName]int{}
	for _, o := range w.file.get(ref) {
		r, err := w.file.decode(ctx, o)
		if err != nil {
			return d, err
		}
		if r == nil {
			continue
		}
		if err := d.read(r); ctx.Err() != nil || kappa.ErrorCode(err) == kappa.CodeMalformed {
			return d, err
		}
	}
	w.described[ref] = d
	return d, nil
}

// read adds what is read to a description.
func (d *description) read(r io.Reader) error {
	const block = 64 << 10
	text, counted := make([]byte, 0, block), 0
	for {
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		d.bytes += n
		if err == nil && len(text) < cap(text) {
			continue
		}
		if err != nil {
			d.count(text, counted, len(text))
			return err
		}
		// What may go on in the next block is counted with it, behind the name that may
		// stand before.
		before := len(text) - formNames
		d.count(text, counted, before)
		text = text[:copy(text, text[before-formNames:])]
		counted = formNames
	}
}

// count counts what is shown, by the operators that begin between two offsets.
func (d *description) count(text []byte, from, before int) {
	for at := from; ; {
		i := bytes.Index(text[at:], []byte("Do"))
		if i < 0 || at+i >= before {
			return
		}
		at += i
		if end := at + 2; end == len(text) || isPDFSpace(text[end]) || isPDFDelimiter(text[end]) {
			if name, ok := nameBefore(text[:at]); ok {
				d.shows[name]++
			}
		}
		at += 2
	}
}

// nameBefore returns the name that a text ends with, and white space.
func nameBefore(text []byte) (pdfName, bool) {
	text = text[max(0, len(text)-formNames):]
	word := bytes.TrimRight(text, "\x00\t\n\f\r ")
	from := bytes.LastIndexByte(word, '/')
	if from < 0 || bytes.ContainsFunc(word[from+1:], func(r rune) bool { return r < 0x80 && (isPDFSpace(byte(r)) || isPDFDelimiter(byte(r))) }) {
		return "", false
	}
	return (&pdfReader{text: word[from:]}).name(), true
}
