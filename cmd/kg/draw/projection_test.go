package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge/projection"
)

func projected() projection.Projection {
	p := projection.Projection{Ontology: projection.AllOntologies, Source: "concepts", Algorithm: "tsne"}
	for i := range 60 {
		cluster := i % 3
		place := projection.Place{ID: fmt.Sprintf("c_%d", i), Label: fmt.Sprintf("Item <%d> & more", i), X: 10*float64(cluster) + math.Sin(float64(i)), Y: math.Cos(float64(i)), Degree: &i}
		if i < 57 {
			place.Cluster = &cluster
		}
		p.Places = append(p.Places, place)
	}
	p.Statistics = projection.Statistics{Clusters: 3, ClusterNames: map[string]string{"0": "Pumps", "1": "Wind\x00 power", "2": strings.Repeat("x", 99)}}
	return p
}

func TestProjection(t *testing.T) {
	draw := func(format string, labels bool) []byte {
		var b bytes.Buffer
		if err := Projection(&b, projected(), format, labels); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	t.Run("SVG is well-formed, and names items and clusters", func(t *testing.T) {
		picture := draw("svg", true)
		for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"Pumps", "Wind  power", "xxx…", "Item &lt;59&gt; &amp; more", "all ontologies", "(60 items, 3 clusters)"} {
			if !bytes.Contains(picture, []byte(want)) {
				t.Errorf("the picture lacks %q", want)
			}
		}
		for cluster := range 3 {
			if want := colourOf(cluster); !bytes.Contains(picture, []byte(want)) {
				t.Errorf("the picture lacks the colour %s", want)
			}
		}
		if bytes.Contains(draw("svg", false), []byte("Item")) {
			t.Error("without labels items are named")
		}
	})
	t.Run("PNG is a picture", func(t *testing.T) {
		picture, err := png.Decode(bytes.NewReader(draw("png", true)))
		if err != nil || picture.Bounds().Dx() != 1650 || picture.Bounds().Dy() != 1200 {
			t.Fatalf("%v, %v", picture.Bounds(), err)
		}
		seen := map[color.Color]bool{}
		for x := range picture.Bounds().Dx() {
			for y := range picture.Bounds().Dy() {
				seen[picture.At(x, y)] = true
			}
		}
		for _, want := range []string{colourOf(0), colourOf(2), colourOf(noiseGroup), textColour} {
			if !seen[colourNamed(want)] {
				t.Errorf("no dot of the picture has the colour %s", want)
			}
		}
	})
	t.Run("the same projection gives the same bytes", func(t *testing.T) {
		if !bytes.Equal(draw("svg", true), draw("svg", true)) {
			t.Error("two pictures differ")
		}
	})
	if err := Projection(io.Discard, projected(), "gif", true); err == nil {
		t.Error("gif is drawn")
	}
}
