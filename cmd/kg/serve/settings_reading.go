package serve

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// readingSettings are how documents are read, and analysed before they are ingested.
type readingSettings struct {
	Workers         int           // processes that read; 0: this one does
	Limit           time.Duration // for a document
	Bin             string        // of such a process; empty: this program, if it is kg
	AnalysisWorkers int
	MostWaiting     int // documents of a user, for their analysis; 0: any number

	OCR          string // the program that reads pictures of text, or ocrOff
	OCRLanguages string // by which it reads; "": those that it has
}

// ocrOff is written for no program that reads pictures.
const ocrOff = "off"

// table returns the settings of reading.
func (r *readingSettings) table() []setting {
	return []setting{
		number("KG_READ_WORKERS", 4, 0, 64, "processes that read documents at once, each with 512 MiB at most; 0 reads them in the server, without walls", &r.Workers),
		text("KG_READ_BIN", "", "", "the program of such a process", &r.Bin).forTests(),
		text("KG_OCR", "tesseract", "", "the program that reads pages that are pictures, and images: tesseract, or off", &r.OCR),
		text("KG_OCR_LANGUAGES", "", "", "the languages by which it reads, such as deu+eng", &r.OCRLanguages).without("those that it has"),
		seconds("KG_READ_SECONDS", 60, 5, 600, "how long reading a document may take", &r.Limit),
		number("KG_ANALYSIS_WORKERS", 2, 2, 64, "documents that are analysed at once; one of them is always soon free for those who wait", &r.AnalysisWorkers),
		number("KG_MAX_ANALYSES_PER_USER", 10_000, 0, 1_000_000, "documents of a user that may wait for their analysis; 0 is any number", &r.MostWaiting),
	}
}

// check returns what is wrong with settings that their own rules allow.
func (r *readingSettings) check() (broken []error) {
	if r.Workers > 0 && r.Workers <= r.AnalysisWorkers {
		broken = append(broken, fmt.Errorf("KG_READ_WORKERS: must be more than KG_ANALYSIS_WORKERS, or 0, got %d and %d", r.Workers, r.AnalysisWorkers))
	}
	return broken
}

// program returns the program of a process that reads documents; "" when there is none, and
// documents are read in the server.
func (r *readingSettings) program() string {
	if r.Workers == 0 || runtime.GOOS != "linux" {
		return ""
	}
	if r.Bin != "" {
		return r.Bin
	}
	// Only kg itself knows the command: the program of a test would run the tests again.
	build, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasSuffix(build.Path, "/cmd/kg") {
		return ""
	}
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	return own
}
