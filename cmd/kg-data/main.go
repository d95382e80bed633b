//go:build cgo

package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/internal/sandbox/child"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" { // asked by kg version
		fmt.Println(mapping.LibraryVersion())
		return
	}
	fewArenas()
	w := walls.Config{Name: "kg-data", Calls: walls.CallsOfDuckDB}
	w.Flags(flag.CommandLine)
	flag.Parse()
	e := &engine{memory: w.Memory / 2}
	program := child.Program[frame.Request, frame.Answer]{
		Walls: w, MaxRequest: frame.MaxRequest, MaxAnswer: frame.MaxAnswer,
		Open: e.open, Take: e.take, Answer: e.answerApart, Trail: e.takeRows, TooLong: tooLong, After: e.ahead,
	}
	os.Exit(program.Run())
}
