package corpus

import "time"

// pdfPerLimit is how many bytes of a PDF are read within the limit for a document, with room
// to spare: each more of them have as long again.
const pdfPerLimit = 16 << 20

// ReadingTime is how long reading a document of a format and size may take, where one that is
// short may take limit: a PDF of thousands of pages has more.
func ReadingTime(limit time.Duration, format ContentType, bytes int) time.Duration {
	if format.Base() != ContentPDF {
		return limit
	}
	return limit * time.Duration(1+bytes/pdfPerLimit)
}
