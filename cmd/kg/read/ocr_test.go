//go:build linux

package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/reading"
)

// tesseract is the name of a program that reads pictures, of which this program stands for one
// when it is called so.
const tesseract = "tesseract"

// beTesseract does what tesseract does, as far as it is called here: it says its version and its
// languages, and makes a text of a picture, or what the picture says it does.
func beTesseract(args []string) int {
	switch {
	case slices.Contains(args, "--version"):
		fmt.Println("tesseract 9.9.9\n leptonica-1.82.0")
		return 0
	case slices.Contains(args, "--list-langs"):
		fmt.Printf("List of available languages in %q (3):\ndeu\neng\nosd\n", filepath.Dir(args[0]))
		return 0
	}
	picture, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	verb, rest, _ := strings.Cut(string(picture), " ")
	switch verb {
	case "die":
		fmt.Fprintln(os.Stderr, "Error in pixRead")
		return 1
	case "hang":
		hang()
	case "eat":
		eat()
	case "flood":
		for {
			fmt.Print(strings.Repeat("flood ", 1<<10))
		}
	case "escape":
		fmt.Print("reached: ", strings.Join(escapes(), ", "))
		if _, err := syscall.ForkExec("/bin/true", nil, nil); err == nil {
			fmt.Print("another process")
		}
		_ = syscall.Exec("/bin/echo", []string{"echo", "another program"}, nil)
		return 0
	}
	fmt.Printf("%s of %s\nWasser-\nstand\f", strings.Join(args[1:], " "), rest)
	return 0
}

// fakeTesseract returns a program that stands for tesseract.
func fakeTesseract(t *testing.T) string {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), tesseract)
	if err := os.Symlink(own, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// found is that this program is here.
func found(ocr reading.OCR) func(context.Context) (reading.OCR, error) {
	return func(context.Context) (reading.OCR, error) { return ocr, nil }
}

// TestOCR has pictures read by a program behind walls, which fails in every way.
func TestOCR(t *testing.T) {
	ocr, err := reading.FindOCR(t.Context(), fakeTesseract(t), "")
	if err != nil || ocr.Languages != "deu+eng" || ocr.Version != "tesseract 9.9.9" {
		t.Fatalf("found %+v and %v", ocr, err)
	}
	r, _ := start(t, Command, func(c *reading.Config) { c.FindOCR, c.Limit = found(ocr), 5*time.Second })
	read := func(picture string) (corpus.DocumentText, error) {
		return r.Text(t.Context(), []byte(picture), corpus.ContentPNG)
	}
	d, err := read("picture ice")
	if want := "stdin stdout --tessdata-dir " + ocr.Data + " -l deu+eng --psm 1 of ice\nWasserstand"; err != nil || d.Text != want || d.Markup != corpus.ContentPlain {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
	if want := "It is a picture: read by OCR (tesseract 9.9.9, deu+eng)"; len(d.Warnings) != 1 || d.Warnings[0] != want {
		t.Errorf("warned %q", d.Warnings)
	}
	for picture, says := range map[string]string{
		"die":        "the OCR program failed at it",
		"hang":       "OCR took longer than 5s",
		"eat":        "OCR took more memory than 512 MB",
		"flood":      "the OCR program failed at it",
		"not a word": "",
	} {
		t.Run(picture, func(t *testing.T) {
			d, err := read(picture)
			if says == "" {
				if err != nil {
					t.Errorf("after the others: %v", err)
				}
				return
			}
			if kappa.ErrorCode(err) != kappa.CodeMalformed || kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), says) {
				t.Errorf("got %.100q and %v, want a message that says %q", d.Text, err, says)
			}
		})
	}
	if d, err := read("escape "); err != nil || d.Text != "reached:" {
		t.Errorf("behind the walls: %q and %v", d.Text, err)
	}
}

// TestFindOCR says what is missing.
func TestFindOCR(t *testing.T) {
	there := fakeTesseract(t)
	for name, c := range map[string]struct{ program, languages, says string }{
		"no program":       {"no-such-program", "", "install tesseract-ocr"},
		"no language":      {there, "deu+fra", `has no language "fra"; it has deu, eng`},
		"no such program":  {"/bin/true", "", "is not an OCR program"},
		"a known language": {there, "deu", ""},
	} {
		ocr, err := reading.FindOCR(t.Context(), c.program, c.languages)
		if c.says == "" && (err != nil || ocr.Languages != c.languages) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: got %+v and %v, want %q", name, ocr, err, c.says)
		}
	}
}

// TestWithoutOCR says of an image why it is not read.
func TestWithoutOCR(t *testing.T) {
	missing := errors.New("no OCR program is here; install tesseract-ocr")
	r, _ := start(t, Command, func(c *reading.Config) {
		c.FindOCR = func(context.Context) (reading.OCR, error) { return reading.OCR{}, missing }
	})
	_, err := r.Text(t.Context(), []byte("picture"), corpus.ContentPNG)
	if kappa.ErrorCode(err) != kappa.CodeUnsupported || !strings.Contains(kappa.ErrorMessage(err), missing.Error()) {
		t.Errorf("got %v", err)
	}
}
