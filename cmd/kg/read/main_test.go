//go:build linux

package read

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/internal/reading/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
	"github.com/kappagraph/kappa/internal/sandbox/child"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

// misread is the command of a process that does what a document says.
const misread = "misread"

// TestMain is also the processes that these tests start.
func TestMain(m *testing.M) {
	wide := func(w *walls.Config) { w.Memory = 64 << 30 } // the detector of races wants that
	if filepath.Base(os.Args[0]) == tesseract {
		os.Exit(beTesseract(os.Args))
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case Command:
			os.Exit(run(context.Background(), os.Args[2:], wide))
		case misread:
			set := flag.NewFlagSet(misread, flag.ExitOnError)
			w := walls.Config{Name: "kg-read", Calls: walls.CallsOfGo, FileBytes: 1}
			w.Flags(set)
			_ = set.Parse(os.Args[2:])
			wide(&w)
			b := &misbehaving{reader: &reader{input: os.NewFile(sandbox.InputDescriptor, "document")}}
			os.Exit(child.Program[frame.Request, frame.Answer]{
				Working: func(said func(steps, of int)) { b.said = said },
				Walls:   w, MaxRequest: frame.MaxRequest, MaxAnswer: frame.MaxAnswer,
				Open: func() (string, error) { return "test", nil }, Answer: b.answer, Trail: b.trail, TooLong: tooLong,
			}.Run())
		}
	}
	goleak.VerifyTestMain(m)
}
