//go:build cgo

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// The exit codes, for the server's log. A worker whose server has gone ends with 0.
const (
	exitWalls = 3 // the walls without which no query is answered do not stand
	exitPipe  = 4 // the pipe brought what is no frame
	exitOpen  = 6 // no database could be opened, and nothing of the request was done
)

func main() {
	fewArenas()
	memory := flag.Uint64("memory", 2<<30, "bytes of address space")
	files := flag.String("files", "", "directory of the files")
	parent := flag.Int("parent", 0, "process id of the server")
	flag.Parse()
	os.Exit(run(walls{memory: *memory, files: *files, parent: *parent}, os.Stdin, os.Stdout))
}

// run answers requests until the pipe ends.
func run(w walls, in io.Reader, out io.Writer) int {
	hello, err := w.build()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kg-data:", err)
		return exitWalls
	}
	engine, err := newEngine(w.memory)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kg-data:", err)
		return exitWalls
	}
	hello.Version = engine.version
	if err := frame.Write(out, hello, frame.MaxAnswer); err != nil {
		return 0 // the server has gone
	}
	for request := range requests(in) {
		if err := engine.take(); err != nil {
			fmt.Fprintln(os.Stderr, "kg-data:", err)
			return exitOpen
		}
		if frame.Write(out, frame.Answer{ID: request.ID, Begins: true}, frame.MaxAnswer) != nil {
			return 0
		}
		answer := engine.answer(request)
		answer.ID, answer.RSSBytes = request.ID, resident()
		err := frame.Write(out, answer, frame.MaxAnswer)
		if errors.Is(err, frame.ErrTooLong) {
			err = frame.Write(out, tooLong(request.ID), frame.MaxAnswer)
		}
		if err != nil {
			return 0
		}
		engine.ahead()
	}
	return 0
}

// requests reads ahead, so that a server that goes ends the worker at once, in the middle
// of a query too.
func requests(in io.Reader) <-chan frame.Request {
	all := make(chan frame.Request)
	go func() {
		for {
			var r frame.Request
			err := frame.Read(in, &r, frame.MaxRequest)
			if errors.Is(err, io.EOF) {
				os.Exit(0) //nolint:revive // at once, in the middle of a query too
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, "kg-data:", err)
				os.Exit(exitPipe) //nolint:revive // likewise
			}
			all <- r
		}
	}()
	return all
}
