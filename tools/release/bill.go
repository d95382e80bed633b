package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill writes the bill of materials of a target, as CycloneDX: the modules that go version
// -m finds in the programs, with the checksums of go.sum.
func (r *release) bill(t target, modules []module) (err error) {
	root := cyclonedx.Component{
		BOMRef: "kappa", Type: cyclonedx.ComponentTypeApplication, Name: "kappa", Version: r.version,
		PackageURL: "pkg:golang/github.com/kappagraph/kappa@v" + r.version + "?goos=" + t.system + "&goarch=" + t.arch,
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
		Properties: &[]cyclonedx.Property{{Name: "kappa:commit", Value: r.commit}, {Name: "kappa:system", Value: t.String()}},
	}
	var components []cyclonedx.Component
	var refs []string
	for _, m := range modules {
		url := "pkg:golang/" + m.path + "@" + m.version
		c := cyclonedx.Component{
			BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: url,
			Properties: &[]cyclonedx.Property{{Name: "kappa:programs", Value: strings.Join(m.programs, " ")}},
		}
		if sum, ok := strings.CutPrefix(m.sum, "h1:"); ok {
			bytes, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return fmt.Errorf("%s: its checksum %q: %w", m.path, m.sum, err)
			}
			c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(bytes)}}
		}
		components, refs = append(components, c), append(refs, url)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &root}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: "kappa", Dependencies: &refs}}
	file, err := os.Create(filepath.Join(r.dist, fmt.Sprintf("kappa-%s-%s-%s.cdx.json", r.version, t.system, t.arch)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
