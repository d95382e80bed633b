package corpus

import (
	"mime"
	"slices"
	"strings"
)

// ContentType says what format a document has.
type ContentType string

// The content types of documents that Kappa reads.
const (
	ContentPlain    ContentType = "text/plain"
	ContentMarkdown ContentType = "text/markdown"
	ContentHTML     ContentType = "text/html"
	ContentPDF      ContentType = "application/pdf"
	ContentDOCX     ContentType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	ContentXLSX     ContentType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ContentPPTX     ContentType = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	ContentODT      ContentType = "application/vnd.oasis.opendocument.text"
	ContentODS      ContentType = "application/vnd.oasis.opendocument.spreadsheet"
	ContentODP      ContentType = "application/vnd.oasis.opendocument.presentation"
	ContentRTF      ContentType = "application/rtf"
	ContentDOC      ContentType = "application/msword"
	ContentXLS      ContentType = "application/vnd.ms-excel"
	ContentPPT      ContentType = "application/vnd.ms-powerpoint"
	ContentMSG      ContentType = "application/vnd.ms-outlook"
	ContentEPUB     ContentType = "application/epub+zip"
	ContentEmail    ContentType = "message/rfc822"
	ContentCSV      ContentType = "text/csv" // with any separator
	ContentJSON     ContentType = "application/json"
	ContentLog      ContentType = "text/x-log"
	ContentSource   ContentType = "text/x-source" // with the parameter language, see SourceCode
	ContentMarkup   ContentType = "text/x-markup" // in a markup language, with the parameter language, see MarkedUp
	ContentXML      ContentType = "application/xml"
	ContentMailbox  ContentType = "application/mbox"
)

// The content types of images that are described.
const (
	ContentPNG  ContentType = "image/png"
	ContentJPEG ContentType = "image/jpeg"
	ContentGIF  ContentType = "image/gif"
	ContentWebP ContentType = "image/webp"
)

// Limits of an image, in bytes.
const (
	MinImageBytes = 100
	MaxImageBytes = 10 << 20
)

// ImageTypes are the content types of images that are described.
func ImageTypes() []ContentType {
	return []ContentType{ContentPNG, ContentJPEG, ContentGIF, ContentWebP}
}

// IsImage reports whether it is one of ImageTypes.
func (c ContentType) IsImage() bool { return slices.Contains(ImageTypes(), c) }

// languageParameter names the programming language of ContentSource, or the language of ContentMarkup.
const languageParameter = "language"

// ContentTypes are the content types of documents that Kappa reads.
func ContentTypes() []ContentType {
	return []ContentType{
		ContentPlain, ContentMarkdown, ContentHTML, ContentPDF, ContentDOCX, ContentXLSX, ContentPPTX,
		ContentODT, ContentODS, ContentODP, ContentRTF, ContentDOC, ContentXLS, ContentPPT, ContentMSG, ContentEPUB, ContentEmail,
		ContentCSV, ContentJSON, ContentLog, ContentSource, ContentMarkup, ContentXML, ContentMailbox,
	}
}

// SourceCode is the content type of a file in a programming language, as
// text/x-source; language=Go.
func SourceCode(language string) ContentType {
	return ContentType(mime.FormatMediaType(string(ContentSource), map[string]string{languageParameter: language}))
}

// MarkedUp is the content type of a text in a markup language, as text/x-markup; language=Org.
func MarkedUp(language string) ContentType {
	return ContentType(mime.FormatMediaType(string(ContentMarkup), map[string]string{languageParameter: language}))
}

// Base returns the content type without its parameters.
func (c ContentType) Base() ContentType {
	base, _, _ := strings.Cut(string(c), ";")
	return ContentType(base)
}

// Language returns the language of a ContentSource or a ContentMarkup, or "".
func (c ContentType) Language() string {
	_, parameters, err := mime.ParseMediaType(string(c))
	if err != nil {
		return ""
	}
	return parameters[languageParameter]
}

// Known reports whether it is one of ContentTypes, with or without parameters.
func (c ContentType) Known() bool { return slices.Contains(ContentTypes(), c.Base()) }
