// Command formats measures how documents of others are read, beside the programs that are trusted
// for each kind: which words, headings and rows of tables arrive, in which order, what is refused
// and why. The files are not in the repository: a folder of them is given, and manifest.tsv names
// them by their hashes and says where they are from.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

func main() {
	folder := flag.String("files", "", "the folder of the files")
	manifest := flag.String("manifest", "test/formats/manifest.tsv", "the list of the files")
	half := flag.String("half", "odd", "which half by the first digit of the hash: odd (measured), even (developed on), all")
	write := flag.Int("write", 0, "write the manifest, of so many files of each kind, instead of measuring")
	kind := flag.String("kind", "", "measure only this kind")
	verbose := flag.Bool("v", false, "list what is below the goals, and what is refused")
	rounds := flag.Int("time", 0, "measure the processor time of all PDFs in so many rounds, instead of their words")
	read := flag.String("read", "", "only read PDFs, by what was compiled into this directory: the process whose time -time measures")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	switch {
	case *read != "":
		err = readPDFs(ctx, *read, flag.Args())
	case *rounds > 0:
		err = measureSpeed(ctx, *folder, *manifest, *rounds)
	default:
		err = run(ctx, *folder, *manifest, *half, *kind, *write, *verbose)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, manifest, half, kind string, write int, verbose bool) error {
	if folder == "" {
		return fmt.Errorf("-files: give the folder of the files; %s says where they are from", manifest)
	}
	if write > 0 {
		return writeManifest(manifest, folder, write)
	}
	files, missing, err := readManifest(manifest, folder)
	if err != nil {
		return err
	}
	fmt.Printf("%d files of the manifest are there, %d are not\n", len(files), missing)
	files = slices.DeleteFunc(files, func(f file) bool { return half != "all" && f.half() != half || kind != "" && f.kind != kind })
	faults, err := readFaults(filepath.Join(filepath.Dir(manifest), "faults.tsv"))
	if err != nil {
		return err
	}
	m, err := newMeasuring(files, faults, verbose)
	if err != nil {
		return err
	}
	defer m.close(ctx)
	for _, f := range files {
		if err := m.measure(ctx, f); err != nil {
			m.print(os.Stdout) // of those until then
			return err
		}
	}
	m.print(os.Stdout)
	return nil
}
