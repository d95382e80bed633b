package artifacts

import (
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
)

// downloadWithin is how long a download may take: the largest file at 512 KiB a second.
const downloadWithin = 35 * time.Minute

func (a *API) registerDownload(r *http.Router) {
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/artifacts/{id}/download", Permission: access.ArtifactsRead, ByRow: true, ID: "artifacts.download",
		Summary: "Download the file of a kept result", AnswerWithin: downloadWithin, Document: func(op *huma.Operation) {
			op.Parameters = []*huma.Param{{Name: "id", In: "path", Required: true, Description: "The number of an artifact", Schema: &huma.Schema{Type: huma.TypeString}}}
			http.Respond(op, "200", "application/octet-stream", "The file, Parquet or CSV", &huma.Schema{Type: huma.TypeString, Format: "binary"})
		},
	}, a.download)
}

// download sends a file piece by piece. When it cannot be read on, the connection ends
// before the length that was announced.
func (a *API) download(c *gin.Context) error {
	ctx := c.Request.Context()
	artifact, err := a.permitted(ctx, access.ArtifactsRead, c.Param("id"))
	if err != nil {
		return err
	}
	file, err := a.cfg.Files.ArtifactFile(ctx, artifact.ID)
	if err != nil {
		return err
	}
	var piece []byte
	for n, sent := 0, int64(0); sent < file.Bytes; n++ {
		if piece, err = a.cfg.Files.ReadArtifactPiece(ctx, file.ID, n); err != nil {
			if n == 0 {
				return err
			}
			panic(nethttp.ErrAbortHandler)
		}
		if n == 0 {
			announce(c, artifact.ID, file)
		}
		if _, err := c.Writer.Write(piece); err != nil {
			return nil //nolint:nilerr // the client has gone
		}
		sent += int64(len(piece))
	}
	return nil
}

// announce writes the header of a download.
func announce(c *gin.Context, id int, file artifacts.File) {
	name := "artifact-" + strconv.Itoa(id) + ".parquet"
	if strings.HasPrefix(file.ContentType, "text/csv") {
		name = "artifact-" + strconv.Itoa(id) + ".csv"
	}
	c.Header("Content-Type", file.ContentType)
	c.Header("Content-Disposition", `attachment; filename="`+name+`"`)
	c.Header("Content-Length", strconv.FormatInt(file.Bytes, 10))
	c.Header("X-Content-Type-Options", "nosniff")
	c.Status(200)
}
