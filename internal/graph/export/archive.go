package export

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// Tables writes a zip archive of a Parquet file for each table, and about.json. The files are
// compressed themselves, so that the archive stores them as they are.
func Tables(ctx context.Context, w io.Writer, about About, from TableReader, q questions.TableSelection) error {
	archive := zip.NewWriter(w)
	for _, t := range questions.GraphTables() {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: string(t) + ".parquet", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := Table(ctx, file, t, about, from, q); err != nil {
			return err
		}
	}
	file, err := archive.Create("about.json")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(file).Encode(struct {
		questions.Completeness

		Epoch int64 `json:"epoch"`
	}{about.Completeness, about.Epoch}); err != nil {
		return err
	}
	return archive.Close()
}
