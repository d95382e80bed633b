package formats

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/kappagraph/kappa/corpus"
)

const (
	xlsxBody = "xl/workbook.xml"
	// maxXLSXBytes is how much a workbook unpacks to. Reading it takes some times as
	// much memory.
	maxXLSXBytes = 64 << 20
	// maxXLSXRows is how many rows of a workbook are read. A row that is far down
	// counts those above it.
	maxXLSXRows = 1 << 20
	// maxXLSXCells is how many cells the library makes of a workbook, of those that hold
	// something and those before them. It has only more of them where a sheet is written so
	// that compact does not see its rows.
	maxXLSXCells = 64 << 20
	// maxXLSXFormats is how many formats of numbers a workbook has, and how long each is, in
	// bytes: each cell looks for its own. Excel has up to 250 of up to 255 characters.
	maxXLSXFormats     = 4096
	maxXLSXFormatBytes = 4096
)

// readXLSX reads the sheets of a workbook as tables.
func readXLSX(ctx context.Context, body []byte) (corpus.DocumentText, error) {
	if err := checkArchive(ctx, body, maxXLSXBytes); err != nil {
		return corpus.DocumentText{}, err
	}
	// With both limits the same nothing is unpacked to files.
	book, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{
		UnzipSizeLimit: 2 * maxXLSXBytes, UnzipXMLSizeLimit: 2 * maxXLSXBytes,
		ShortDatePattern: "yyyy-mm-dd", LongDatePattern: "yyyy-mm-dd", LongTimePattern: "hh:mm:ss",
	})
	if err != nil {
		return corpus.DocumentText{}, malformed("The workbook cannot be read: %v.", err)
	}
	defer func() { _ = book.Close() }() // it was only read
	if err := checkNumberFormats(book); err != nil {
		return corpus.DocumentText{}, err
	}
	archive, err := openParts(body)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	w := workbook{book: book, sparse: compact(book), archive: archive, sheets: sheetParts(ctx, archive)}
	for _, sheet := range book.GetSheetList() {
		if err := w.sheet(ctx, sheet); err != nil {
			return corpus.DocumentText{}, err
		}
	}
	return corpus.DocumentText{Text: strings.TrimSpace(w.text.String()), Markup: corpus.ContentMarkdown}, nil
}

// checkNumberFormats refuses a workbook whose formats of numbers take long for each cell.
func checkNumberFormats(book *excelize.File) error {
	if book.Styles == nil || book.Styles.NumFmts == nil {
		return nil
	}
	formats := book.Styles.NumFmts.NumFmt
	if len(formats) > maxXLSXFormats {
		return malformed("The workbook has %d formats of numbers; at most %d are read. Copy its sheets to a new one.", len(formats), maxXLSXFormats)
	}
	for _, f := range formats {
		if n := max(len(f.FormatCode), len(f.FormatCode16)); n > maxXLSXFormatBytes {
			return malformed("The workbook has a format of numbers of %s; at most %s are read. Copy its sheets to a new one.", corpus.HumanSize(n), corpus.HumanSize(maxXLSXFormatBytes))
		}
	}
	return nil
}

// workbook is a workbook that is being read.
type workbook struct {
	book        *excelize.File
	archive     parts
	sheets      map[string]string // parts, by the names of sheets
	sparse      bool              // each row begins with a list of its columns, see compact
	text        strings.Builder
	rows, cells int // that were read
}

// sheet reads one sheet.
func (w *workbook) sheet(ctx context.Context, sheet string) error {
	rows, err := w.book.Rows(sheet)
	if err != nil {
		return nil // a sheet of a chart has no rows
	}
	defer func() { _ = rows.Close() }() // they were only read
	long := longNumbers{book: w.book, sheet: sheet}
	defer long.close()
	t := table{text: &w.text, heading: fmt.Sprintf("## %s\n\n", strings.Join(strings.Fields(sheet), " "))}
	for rows.Next() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if w.rows++; w.rows > maxXLSXRows {
			return malformed("The workbook has more than %d rows. Split it into smaller ones.", maxXLSXRows)
		}
		cells, err := rows.Columns()
		if err != nil {
			return malformed("The workbook cannot be read: sheet %q, row %d: %v.", sheet, w.rows, err)
		}
		if w.cells += len(cells); w.cells > maxXLSXCells {
			return malformed("The workbook has more than %d cells, with those before each that holds something. Split it into smaller ones.", maxXLSXCells)
		}
		if err := long.restore(cells); err != nil {
			return malformed("The workbook cannot be read: sheet %q, row %d: %v.", sheet, w.rows, err)
		}
		var columns []int
		if w.sparse && len(cells) > 0 {
			cells, columns = cells[1:], columnList(cells[0])
		}
		if err := t.row(cells, columns); err != nil {
			return err
		}
	}
	if err := rows.Error(); err != nil {
		return malformed("The workbook cannot be read: %v.", err)
	}
	if err := t.end(); err != nil {
		return err
	}
	return w.beside(ctx, sheet, t.heading)
}

// columnList returns the columns, counted from 0, that a row of a sparse sheet lists.
func columnList(list string) []int {
	columns := make([]int, 0, strings.Count(list, " "))
	for field := range strings.FieldsSeq(list) {
		n, _ := strconv.Atoi(field)
		columns = append(columns, n-1)
	}
	return columns
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
