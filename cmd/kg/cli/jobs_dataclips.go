package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus"
)

// clipFile is a file that becomes a dataclip of a job.
type clipFile struct {
	id   string // that the plan knows it by
	file string
	body []byte
}

// readClips reads the files of --dataclip ID=FILE.
func readClips(flags []string) ([]clipFile, error) {
	var clips []clipFile
	for _, f := range flags {
		id, name, found := strings.Cut(f, "=")
		if !found || id == "" || name == "" {
			return nil, exit.Usage("--dataclip %s: must be ID=FILE", f)
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, exit.Usage("--dataclip: %s", err)
		}
		var object map[string]json.RawMessage
		switch {
		case len(body) > artifacts.MaxDataclip:
			return nil, exit.Usage("--dataclip: %s has %s; %s are the most", name, corpus.HumanSize(len(body)), corpus.HumanSize(artifacts.MaxDataclip))
		case json.Unmarshal(body, &object) != nil || object == nil:
			return nil, exit.Usage("--dataclip: %s is not an object of JSON", name)
		}
		clips = append(clips, clipFile{id, name, body})
	}
	return clips, nil
}

// uploadClips uploads the files, and returns the data of a job with references to them.
func uploadClips(ctx context.Context, c *client.Client, data json.RawMessage, clips []clipFile) (json.RawMessage, error) {
	if len(clips) == 0 {
		return data, nil
	}
	members := map[string]json.RawMessage{}
	if len(data) > 0 && json.Unmarshal(data, &members) != nil {
		return nil, exit.Usage("--dataclip: --data must be an object")
	}
	all := map[string]json.RawMessage{}
	if old, there := members["dataclips"]; there && json.Unmarshal(old, &all) != nil {
		return nil, exit.Usage("--dataclip: dataclips in --data must be an object")
	}
	for _, clip := range clips {
		stored, err := c.Dataclips.Upload(ctx, func() io.Reader { return bytes.NewReader(clip.body) }, int64(len(clip.body)))
		if err != nil {
			return nil, fmt.Errorf("upload the dataclip %s: %w", clip.file, err)
		}
		all[clip.id] = json.RawMessage(`"` + stored.ID + `"`)
	}
	members["dataclips"], _ = json.Marshal(all) //nolint:errchkjson // it was read as JSON
	return json.Marshal(members)                //nolint:wrapcheck // it was read as JSON
}
