package reading

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/internal/sandbox"
)

const (
	// mostLanguages is how many languages are tried on a picture where nobody says which: each takes
	// its time, and many of them read worse than few.
	mostLanguages = 4
	// maxOCRText is how long the text of a picture may be, in bytes.
	maxOCRText = 4 << 20
	findWithin = 10 * time.Second
)

// OCR is a program that reads pictures of text: one that is called as tesseract is.
type OCR struct {
	File      string // the program
	Data      string // the directory of its languages
	Languages string // as it wants them: deu+eng
	Version   string // as it says it
	turns     bool   // it finds out which way up a picture is
}

// String is how it is named to users.
func (o OCR) String() string { return o.Version + ", " + o.Languages }

var (
	ocrList    = regexp.MustCompile(`^List of available languages(?: in "(.+)")? \(\d+\):$`)
	ocrVersion = regexp.MustCompile(`^tesseract v?(\d[\w.-]*)`)
	ocrName    = regexp.MustCompile(`^[A-Za-z][\w/-]*$`)
)

// FindOCR returns the program of this name or file, for languages such as deu+eng: "" stands for
// those that it has. The error says what is missing, and what to do.
func FindOCR(ctx context.Context, program, languages string) (OCR, error) {
	file, err := exec.LookPath(program)
	if err != nil {
		return OCR{}, errNoOCR
	}
	ctx, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	version, err := exec.CommandContext(ctx, file, "--version").CombinedOutput()
	name := ocrVersion.FindStringSubmatch(string(version))
	if err != nil || name == nil {
		return OCR{}, fmt.Errorf("%s is not an OCR program that is called as tesseract is", program)
	}
	list, err := exec.CommandContext(ctx, file, "--list-langs").CombinedOutput()
	if err != nil {
		return OCR{}, fmt.Errorf("%s does not say which languages it has: %w", program, err)
	}
	o := OCR{File: file, Version: "tesseract " + name[1]}
	installed, err := o.installed(string(list))
	if err != nil {
		return OCR{}, err
	}
	o.Languages, err = chosen(installed, languages)
	return o, err
}

// installed reads the list of languages, and where they are.
func (o *OCR) installed(list string) (languages []string, err error) {
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if head := ocrList.FindStringSubmatch(line); head != nil {
			o.Data = head[1]
		} else if ocrName.MatchString(line) {
			languages = append(languages, line)
		}
	}
	if o.Data == "" { // as before its version 5
		found, _ := filepath.Glob("/usr/share/tesseract-ocr/*/tessdata")
		o.Data = append(found, "/usr/share/tessdata")[0]
	}
	o.turns = slices.Contains(languages, "osd")
	languages = slices.DeleteFunc(languages, func(l string) bool { return l == "osd" || l == "equ" || l == "snum" })
	if len(languages) == 0 {
		return nil, errors.New("the OCR program has no languages; install some, such as tesseract-ocr-eng")
	}
	return languages, nil
}

// chosen returns the languages to read by, of those that are installed.
func chosen(installed []string, wanted string) (string, error) {
	if wanted != "" {
		for language := range strings.SplitSeq(wanted, "+") {
			if !slices.Contains(installed, language) {
				return "", fmt.Errorf("KG_OCR_LANGUAGES: the OCR program has no language %q; it has %s", language, strings.Join(installed, ", "))
			}
		}
		return wanted, nil
	}
	if len(installed) > mostLanguages {
		if slices.Contains(installed, "eng") {
			return "eng", nil
		}
		return installed[0], nil
	}
	return strings.Join(installed, "+"), nil
}

// The memory of an OCR program.
const (
	ocrSpace    = 2 << 30
	ocrResident = Resident
)

// arguments are those of the program, which reads its standard input. fine is that the picture has
// pictureDPI.
func (o OCR) arguments(dpi int) []string {
	const turned, upright = "1", "3" // how the parts of a page are found
	mode := upright
	if o.turns {
		mode = turned
	}
	args := []string{filepath.Base(o.File), "stdin", "stdout", "--tessdata-dir", o.Data, "-l", o.Languages, "--psm", mode}
	if dpi > 0 {
		args = append(args, "--dpi", fmt.Sprint(dpi))
	}
	return args
}

// program is how it is run behind walls.
func (o OCR) program(cfg Config, dpi int) sandbox.Program {
	return sandbox.Program{
		Name: "kg-ocr", Bin: cfg.Bin, Args: append(slices.Clip(cfg.Args), "--ocr", o.Data), OwnProcesses: ownProcesses,
		File: o.File, With: o.arguments(dpi),
		Memory: ocrSpace, Resident: ocrResident, MostOutput: maxOCRText,
	}
}

// hyphen is a word that goes on in the next line.
var hyphen = regexp.MustCompile(`(\p{L})[-\x{00AD}]\n(\p{Ll})`)

// cleanOCR makes of what the program wrote a text that can be stored: without the marks of pages,
// and words in one piece.
func cleanOCR(said []byte) string {
	text := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(said), "\uFFFD"))
	return strings.TrimSpace(hyphen.ReplaceAllString(text, "$1$2"))
}
