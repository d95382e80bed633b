package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/reading/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
)

const (
	// atOnce is how many pages are drawn by one process, before they are read, and how fine.
	atOnce     = 4
	pictureDPI = 300
	// maxPicture is how long the picture of a page may be, in bytes.
	maxPicture = 32 << 20
)

// PicturesBy says what reads pages that are pictures, and images, or why nothing does.
func (r *Reader) PicturesBy(ctx context.Context) (OCR, error) {
	if r.cfg.Bin == "" {
		return OCR{}, errors.New("documents are read without walls, and nothing reads pictures so")
	}
	return r.finder.now(ctx)
}

// announced returns a text as an analysis shows it: with what will be read of its pictures.
func (r *Reader) announced(ctx context.Context, d corpus.DocumentText) (corpus.DocumentText, error) {
	if len(d.Pictures) == 0 {
		return d, nil
	}
	ocr, err := r.PicturesBy(ctx)
	if err != nil {
		return unread(d, err)
	}
	d.Warnings = append(slices.Clip(d.Warnings), fmt.Sprintf("%s: read by OCR (%v) once the job is approved; until then %d words are assumed for each", arePictures(d), ocr, corpus.WordsOfPicture))
	return d, nil
}

// unread returns a text of whose pictures nothing is read, or refuses a document that has no other.
func unread(d corpus.DocumentText, why error) (corpus.DocumentText, error) {
	warning := fmt.Sprintf("%s, and what is on them is not read: %v", arePictures(d), why)
	if len(d.Pictures) == 1 {
		warning = fmt.Sprintf("%s, and what is on it is not read: %v", arePictures(d), why)
	}
	d.Pictures = nil
	d.Warnings = append(slices.Clip(d.Warnings), warning)
	return d, refuseBlank(d)
}

// refuseBlank returns why a document is refused that has no text, or nil.
func refuseBlank(d corpus.DocumentText) error {
	if strings.TrimSpace(d.Text) != "" {
		return nil
	}
	return kappa.Permanent(kappa.NewError(kappa.CodeMalformed, "The document has no text that can be read. "+strings.Join(d.Warnings, ". ")))
}

// arePictures begins a sentence about the pages that are pictures.
func arePictures(d corpus.DocumentText) string {
	if d.Pages == 1 {
		return "It is a picture"
	}
	if len(d.Pictures) == 1 {
		return fmt.Sprintf("1 of %d pages (%d) is a picture", d.Pages, d.Pictures[0])
	}
	return fmt.Sprintf("%d of %d pages are pictures", len(d.Pictures), d.Pages)
}

// withPictures returns a text with what is read of its pictures, each page in its place.
func (r *Reader) withPictures(ctx context.Context, body []byte, d corpus.DocumentText) (corpus.DocumentText, error) {
	if len(d.Pictures) == 0 {
		return d, nil
	}
	ocr, err := r.PicturesBy(ctx)
	if err != nil {
		return unread(d, err)
	}
	texts, failures, err := r.textsOfPictures(ctx, body, ocr, d.Pictures)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	warning := fmt.Sprintf("%s: read by OCR (%v)", arePictures(d), ocr)
	d = merged(d, texts)
	d.Warnings = append(append(slices.Clip(d.Warnings), warning), failures[:min(len(failures), maxFailures)]...)
	if left := len(failures) - maxFailures; left > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%d more pages are not read", left))
	}
	if len(d.Text) > frame.MaxExtracted {
		return d, kappa.Permanent(kappa.NewError(kappa.CodeMalformed, fmt.Sprintf("The document has more than %d MB of text. Split it into smaller ones.", frame.MaxExtracted>>20)))
	}
	return d, refuseBlank(d)
}

// textsOfPictures returns the texts of pages that are pictures: those that are kept, and else what is
// read of them, which is kept as soon as it is read. failures says which are not read, and why.
func (r *Reader) textsOfPictures(ctx context.Context, body []byte, ocr OCR, pictures []int) (texts map[int]string, failures []string, err error) {
	memo, said := r.memo(ctx, ocr.String()), corpus.ReadingProgress(ctx)
	texts = map[int]string{}
	for page, text := range memo.load(ctx) {
		texts[page] = text.Text
	}
	left := slices.DeleteFunc(slices.Clone(pictures), func(page int) bool { _, kept := texts[page]; return kept })
	done := len(pictures) - len(left)
	for pages := range slices.Chunk(left, atOnce) {
		read, err := r.readPages(ctx, body, ocr, pages)
		if err != nil {
			return nil, nil, err
		}
		keep := map[int]corpus.DocumentText{}
		for i, page := range pages {
			texts[page] = read[i].text
			if read[i].err != nil { // as when the machine was busy: the next attempt tries again
				failures = append(failures, fmt.Sprintf("Page %d is not read: %v", page, read[i].err))
				continue
			}
			keep[page] = corpus.DocumentText{Text: read[i].text, Markup: corpus.ContentPlain}
		}
		memo.store(ctx, keep)
		done += len(pages)
		said(done, len(pictures))
	}
	return texts, failures, nil
}

// maxFailures is of how many pages it is said why they are not read.
const maxFailures = 20

// readPicture is what was read of a picture, or why nothing was.
type readPicture struct {
	text string
	err  error
}

// readPages draws pages and reads the pictures. What fails for a page is in what is returned of it;
// an error is about all.
func (r *Reader) readPages(ctx context.Context, body []byte, ocr OCR, pages []int) ([]readPicture, error) {
	read := make([]readPicture, len(pages))
	pictures, err := r.draw(ctx, body, pages)
	if err != nil && len(pages) > 1 && kappa.ErrorCode(err) == kappa.CodeMalformed && ctx.Err() == nil {
		for i := range pages { // one of them is at fault
			one, err := r.readPages(ctx, body, ocr, pages[i:i+1])
			if err != nil {
				return nil, err
			}
			read[i] = one[0]
		}
		return read, nil
	}
	if err != nil && kappa.ErrorCode(err) == kappa.CodeMalformed && ctx.Err() == nil {
		read[0].err = errors.New(kappa.ErrorMessage(err))
		return read, nil
	}
	if err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	problems := make([]error, len(pages)) // that are not a page's fault
	for i, picture := range pictures {
		all.Go(func() { read[i], problems[i] = r.ocr(ctx, ocr, picture, pictureDPI) })
	}
	all.Wait()
	return read, errors.Join(problems...)
}

// ocr reads a picture. What is the picture's own fault is in what is returned of it.
func (r *Reader) ocr(ctx context.Context, ocr OCR, picture []byte, dpi int) (read readPicture, err error) {
	leave, err := r.turn(ctx, r.jobs)
	if err != nil {
		return read, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, r.cfg.Limit)
	defer cancel()
	said, err := ocr.program(r.cfg, dpi).Run(limited, picture)
	switch {
	case ctx.Err() != nil:
		return read, context.Cause(ctx)
	case err == nil:
		return readPicture{text: cleanOCR(said)}, nil
	case errors.Is(err, sandbox.ErrNotStarted):
		return read, notNow(err)
	case errors.Is(err, sandbox.ErrLate), errors.Is(err, sandbox.ErrNotReady):
		err = fmt.Errorf("OCR took longer than %v", r.cfg.Limit)
	case errors.Is(err, sandbox.ErrMemory):
		err = fmt.Errorf("OCR took more memory than %d MB", ocrResident>>20)
	default:
		r.cfg.Log.WarnContext(ctx, "a picture was not read", "err", err)
		err = errors.New("the OCR program failed at it")
	}
	return readPicture{err: err}, nil
}

// draw has a process draw pages.
func (r *Reader) draw(ctx context.Context, body []byte, pages []int) (pictures [][]byte, err error) {
	leave, err := r.turn(ctx, r.jobs)
	if err != nil {
		return nil, err
	}
	defer leave()
	limit := corpus.ReadingTime(r.cfg.Limit, corpus.ContentPDF, len(body))
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var a frame.Answer
	var trail []byte
	err = r.children.Do(limited, sandbox.Task{
		Request: frame.Request{Op: frame.OpPictures, Bytes: len(body), Format: corpus.ContentPDF, Pages: pages}, Answer: &a, Trail: &trail,
		MostTrail: len(pages) * maxPicture, Input: bodyOf(body), Harmed: harmed(&a),
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, failure(err, limit)
	case a.Failure != nil:
		return nil, failed(a.Failure)
	case len(a.Sizes) != len(pages):
		return nil, failure(fmt.Errorf("%w: %d pictures of %d pages", errAnswer, len(a.Sizes), len(pages)), limit)
	}
	for _, size := range a.Sizes {
		if size < 0 || size > len(trail) {
			return nil, failure(fmt.Errorf("%w: a picture of %d bytes", errAnswer, size), limit)
		}
		pictures, trail = append(pictures, trail[:size]), trail[size:]
	}
	return pictures, nil
}

// image reads an image by OCR.
func (r *Reader) image(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	ocr, err := r.PicturesBy(ctx)
	if err != nil {
		return corpus.DocumentText{}, kappa.Permanent(kappa.NewError(kappa.CodeUnsupported, "The image is not read: "+err.Error()))
	}
	memo, read := r.memo(ctx, ocr.String()), readPicture{}
	if kept, ok := memo.load(ctx)[1]; ok {
		read.text = kept.Text
	} else if read, err = r.ocr(ctx, ocr, body, 0); err != nil {
		return corpus.DocumentText{}, err
	} else if read.err == nil {
		memo.store(ctx, map[int]corpus.DocumentText{1: {Text: read.text, Markup: corpus.ContentPlain}})
	}
	d := corpus.DocumentText{Text: read.text, Markup: corpus.ContentPlain, Pages: 1, Pictures: []int{1}}
	d.Warnings = []string{fmt.Sprintf("%s: read by OCR (%v)", arePictures(d), ocr)}
	d.Pictures = nil
	if read.err != nil {
		d.Warnings = []string{fmt.Sprintf("It is a picture, and is not read: %v", read.err)}
	} else if d.Text == "" {
		d.Warnings = append(d.Warnings, "No words were found in it")
	}
	return d, refuseBlank(d)
}

// beside returns what was read of a picture, with those lines of the words beside it, as its number,
// that were not read there.
func beside(picture, words string) string {
	const space = " "
	read := strings.Join(strings.Fields(picture), space)
	for line := range strings.Lines(words) {
		if line = strings.Join(strings.Fields(line), space); !corpus.HasWords(read, line) {
			picture += "\n" + line
		}
	}
	return picture
}

// merged returns a text of pages with those of pictures between them.
func merged(d corpus.DocumentText, pictures map[int]string) corpus.DocumentText {
	var text strings.Builder
	var places []corpus.Place
	add := func(page int, part string) {
		if part = strings.TrimSpace(part); part == "" {
			return
		}
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		places = append(places, corpus.Place{Start: text.Len(), Page: page})
		text.WriteString(part)
	}
	left := d.Pictures
	for i, place := range d.Places {
		for len(left) > 0 && left[0] < place.Page {
			add(left[0], pictures[left[0]])
			left = left[1:]
		}
		end := len(d.Text)
		if i+1 < len(d.Places) {
			end = d.Places[i+1].Start
		}
		part := d.Text[place.Start:end]
		if len(left) > 0 && left[0] == place.Page {
			part, left = beside(pictures[place.Page], part), left[1:]
		}
		add(place.Page, part)
	}
	for _, page := range left {
		add(page, pictures[page])
	}
	d.Text, d.Places, d.Pictures = text.String(), places, nil
	return d
}
