package formats

import (
	"fmt"
	"strings"

	gopdfium "github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

const (
	// maxAttachedNames is how many files within a PDF are named that are not read, and maxNameRunes how
	// much of a name.
	maxAttachedNames = 10
	maxNameRunes     = 100
)

// attachedFiles says which files are in a PDF, of which none is read: some are documents, as in a
// portfolio, and others say the same as the pages, as in an invoice.
func attachedFiles(library gopdfium.Pdfium, document references.FPDF_DOCUMENT) []string {
	count, err := library.FPDFDoc_GetAttachmentCount(&requests.FPDFDoc_GetAttachmentCount{Document: document})
	if err != nil || count.AttachmentCount <= 0 {
		return nil
	}
	var names []string
	for i := range min(count.AttachmentCount, maxAttachedNames) {
		name := "without a name"
		if file, err := library.FPDFDoc_GetAttachment(&requests.FPDFDoc_GetAttachment{Document: document, Index: i}); err == nil {
			if got, err := library.FPDFAttachment_GetName(&requests.FPDFAttachment_GetName{Attachment: file.Attachment}); err == nil && oneLine(got.Name) != "" {
				runes := []rune(oneLine(got.Name))
				name = fmt.Sprintf("%q", string(runes[:min(len(runes), maxNameRunes)]))
			}
		}
		names = append(names, name)
	}
	if more := count.AttachmentCount - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	what := "A file is attached to the PDF, which is not read: "
	if count.AttachmentCount > 1 {
		what = fmt.Sprintf("%d files are attached to the PDF, which are not read: ", count.AttachmentCount)
	}
	return []string{what + strings.Join(names, ", ") + ". Extract what is needed, for example with: pdfdetach -saveall FILE"}
}
