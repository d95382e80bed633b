package formats

import (
	"bytes"
	"context"
	"image/png"
	"math"
	"strings"

	gopdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/kappagraph/kappa/corpus"
)

const (
	// pictureDPI is how fine a page is drawn for those that read pictures, who were made for it, and
	// maxPicturePixels how large that becomes at most: larger pages are drawn coarser.
	pictureDPI       = 300
	maxPicturePixels = 16 << 20
	// MaxPictures is how many pages are drawn at once.
	MaxPictures = 4
)

// TextAndPictures is Text, but a PDF with pages that are pictures is not refused for having no
// text: the text says which they are, for somebody to read what Pictures draws.
func (r *Reader) TextAndPictures(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	if format != corpus.ContentPDF {
		return r.Text(ctx, body, format)
	}
	var text corpus.DocumentText
	err := r.within(ctx, body, format, func(ctx context.Context) (err error) {
		text, err = r.pdfium.read(ctx, body, true)
		return err
	})
	if err != nil {
		return corpus.DocumentText{}, err
	}
	return finished(text)
}

// Pictures draws pages of a PDF, at most MaxPictures of them, by their numbers: each as a PNG in
// shades of grey. Its errors are those of Text.
func (r *Reader) Pictures(ctx context.Context, body []byte, pages []int) (pictures [][]byte, err error) {
	if len(pages) > MaxPictures {
		return nil, malformed("At most %d pages are drawn at once, not %d.", MaxPictures, len(pages))
	}
	err = r.within(ctx, body, corpus.ContentPDF, func(ctx context.Context) error {
		return r.pdfium.open(ctx, body, func(library gopdfium.Pdfium, document references.FPDF_DOCUMENT, _ bool) error {
			for _, page := range pages {
				picture, err := drawPage(library, document, page-1)
				if err != nil {
					return malformed("Page %d of the PDF cannot be drawn: %s.", page, firstLine(err))
				}
				pictures = append(pictures, picture)
			}
			return nil
		})
	})
	return pictures, err
}

// drawPage returns a page as a PNG.
func drawPage(library gopdfium.Pdfium, document references.FPDF_DOCUMENT, index int) ([]byte, error) {
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: document, Index: index}}
	size, err := library.GetPageSize(&requests.GetPageSize{Page: page})
	if err != nil {
		return nil, err
	}
	const pointsPerInch = 72
	dpi := pictureDPI
	if inches := size.Width * size.Height / (pointsPerInch * pointsPerInch); inches*pictureDPI*pictureDPI > maxPicturePixels {
		dpi = max(1, int(math.Sqrt(maxPicturePixels/inches)))
	}
	picture, err := library.RenderPageInDPI(&requests.RenderPageInDPI{
		Page: page, DPI: dpi, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT, ImageFormat: requests.RenderImageFormatGrayscale,
	})
	if err != nil {
		return nil, err
	}
	defer picture.CleanupFunc()
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, picture.Result.RenderedImage)
	return b.Bytes(), err
}

// A page that is one picture may have some words beside it: its number, where it was copied.
const (
	stampWords  = 25
	scanObjects = 100  // that it has at most
	scanCovers  = 0.75 // of its area
)

// isPicture reports whether a page, of which this is the text, is a picture: without a text it shows
// something, be it text that cannot be read; with a few words pictures cover it.
func (p pdfPages) isPicture(page references.FPDF_PAGE, text string) bool {
	words := len(strings.Fields(text))
	if words > stampWords {
		return false
	}
	ref := requests.Page{ByReference: &page}
	count, err := p.library.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil || words == 0 {
		return err == nil && count.Count > 0
	}
	if count.Count > scanObjects {
		return false
	}
	size, err := p.library.GetPageSize(&requests.GetPageSize{Page: ref})
	if err != nil {
		return false
	}
	covered := 0.0
	for i := range count.Count {
		covered += p.pictureArea(ref, i, size.Width*size.Height)
	}
	return covered >= scanCovers*size.Width*size.Height
}

// pictureArea returns the area of an object of a page if it is a picture, and no more than most.
func (p pdfPages) pictureArea(page requests.Page, index int, most float64) float64 {
	object, err := p.library.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: index})
	if err != nil {
		return 0
	}
	kind, err := p.library.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
	if err != nil || kind.Type != enums.FPDF_PAGEOBJ_IMAGE {
		return 0
	}
	at, err := p.library.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object.PageObject})
	if err != nil {
		return 0
	}
	return min(float64(at.Right-at.Left)*float64(at.Top-at.Bottom), most)
}
