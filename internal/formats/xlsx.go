package formats

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/kappagraph/kappa"
)

const (
	xlsxBody = "xl/workbook.xml"
	// maxXLSXBytes is how much a workbook unpacks to. Reading it takes some times as
	// much memory.
	maxXLSXBytes = 64 << 20
	// maxXLSXRows is how many rows of a workbook are read. A row that is far down
	// counts those above it.
	maxXLSXRows = 1 << 20
)

// readXLSX reads the sheets of a workbook as tables.
func readXLSX(ctx context.Context, body []byte) (kappa.DocumentText, error) {
	if err := checkArchive(ctx, body, maxXLSXBytes); err != nil {
		return kappa.DocumentText{}, err
	}
	// With both limits the same nothing is unpacked to files.
	book, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{
		UnzipSizeLimit: 2 * maxXLSXBytes, UnzipXMLSizeLimit: 2 * maxXLSXBytes,
		ShortDatePattern: "yyyy-mm-dd", LongDatePattern: "yyyy-mm-dd", LongTimePattern: "hh:mm:ss",
	})
	if err != nil {
		return kappa.DocumentText{}, malformed("The workbook cannot be read: %v.", err)
	}
	defer func() { _ = book.Close() }() // it was only read
	var text strings.Builder
	rows := 0
	for _, sheet := range book.GetSheetList() {
		if err := readSheet(ctx, book, sheet, &text, &rows); err != nil {
			return kappa.DocumentText{}, err
		}
	}
	return kappa.DocumentText{Text: strings.TrimSpace(text.String()), Markup: kappa.ContentMarkdown}, nil
}

// readSheet reads one sheet, and counts its rows.
func readSheet(ctx context.Context, book *excelize.File, sheet string, text *strings.Builder, count *int) error {
	rows, err := book.Rows(sheet)
	if err != nil {
		return nil // a sheet of a chart has no rows
	}
	defer func() { _ = rows.Close() }() // they were only read
	t := table{text: text, heading: fmt.Sprintf("## %s\n\n", strings.Join(strings.Fields(sheet), " "))}
	for rows.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if *count++; *count > maxXLSXRows {
			return malformed("The workbook has more than %d rows. Split it into smaller ones.", maxXLSXRows)
		}
		cells, err := rows.Columns()
		if err != nil {
			return malformed("The workbook cannot be read: sheet %q, row %d: %v.", sheet, *count, err)
		}
		if err := t.row(cells); err != nil {
			return err
		}
	}
	if err := rows.Error(); err != nil {
		return malformed("The workbook cannot be read: %v.", err)
	}
	return nil
}

// checkArchive unpacks an archive to nothing, to see that it keeps the limits: what it
// says about its sizes may be wrong.
func checkArchive(ctx context.Context, body []byte, most uint64) error {
	archive, err := openArchive(body)
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, f := range archive.File {
		n, err := unpackedSize(ctx, f, most-total)
		if total += n; err == nil && total > most {
			err = malformed("The document unpacks to more than %d MB. Split it into smaller ones.", most>>20)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unpackedSize returns how much a file of an archive unpacks to, or something above
// most.
func unpackedSize(ctx context.Context, f *zip.File, most uint64) (uint64, error) {
	if strings.HasSuffix(f.Name, "/") {
		return 0, nil
	}
	file, err := openFile(f)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for file.read <= most {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		const block = 1 << 20
		_, err := io.CopyN(io.Discard, file, block)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return file.read, err
		}
	}
	return file.read, nil
}
