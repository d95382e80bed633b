package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/kappagraph/kappa/knowledge/projection"
)

const (
	plotWidth, plotHeight = 11 * vg.Inch, 8 * vg.Inch
	dotsPerInch           = 150
	dotRadius             = 2.2
	mostLabels            = 40 // items that are named, those with the most relationships
	labelLength           = 28 // characters
)

// clusterColours are told apart by most people who see few colours (Paul Tol's "muted"
// and "bright"); more clusters begin again.
var clusterColours = []color.RGBA{
	{0x44, 0x77, 0xaa, 0xff},
	{0xee, 0x66, 0x77, 0xff},
	{0x22, 0x88, 0x33, 0xff},
	{0xcc, 0xbb, 0x44, 0xff},
	{0x66, 0xcc, 0xee, 0xff},
	{0xaa, 0x33, 0x77, 0xff},
	{0x33, 0x22, 0x88, 0xff},
	{0x99, 0x99, 0x33, 0xff},
	{0x88, 0x22, 0x55, 0xff},
	{0x11, 0x77, 0x33, 0xff},
	{0xcc, 0x66, 0x77, 0xff},
	{0x44, 0xaa, 0x99, 0xff},
}

var noiseColour = color.RGBA{0xbb, 0xbb, 0xbb, 0xff}

// ProjectionFormats are the formats that Projection writes.
func ProjectionFormats() []string { return []string{"svg", "png"} }

// Projection draws a projection: a dot for each item in the colour of its cluster, the
// names of the clusters, and with labels those of the items with the most relationships.
// Of three dimensions it shows the first two. The same projection gives the same bytes.
func Projection(w io.Writer, p projection.Projection, format string, labels bool) error {
	drawn, err := projectionPlot(p, labels)
	if err != nil {
		return fmt.Errorf("draw the projection: %w", err)
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "svg":
		canvas = vgsvg.New(plotWidth, plotHeight)
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(dotsPerInch))}
	default:
		return fmt.Errorf("a projection is drawn as svg or png, not as %q", format)
	}
	drawn.Draw(vgdraw.New(canvas))
	_, err = canvas.WriteTo(w)
	return err
}

func projectionPlot(p projection.Projection, labels bool) (*plot.Plot, error) {
	drawn := plot.New()
	drawn.Title.Text = fmt.Sprintf("%s of %s, by %s (%d items, %d clusters)", p.Source, strings.ReplaceAll(p.Ontology, projection.AllOntologies, "all ontologies"), p.Algorithm, len(p.Places), p.Statistics.Clusters)
	drawn.HideAxes()
	groups := map[int]plotter.XYs{}
	for _, place := range p.Places {
		cluster := noiseGroup
		if place.Cluster != nil {
			cluster = *place.Cluster
		}
		groups[cluster] = append(groups[cluster], plotter.XY{X: place.X, Y: place.Y})
	}
	for _, cluster := range slices.Sorted(maps.Keys(groups)) {
		dots, err := plotter.NewScatter(groups[cluster])
		if err != nil {
			return nil, err //nolint:wrapcheck // Projection says what failed
		}
		dots.GlyphStyle = vgdraw.GlyphStyle{Color: colourOf(cluster), Radius: vg.Points(dotRadius), Shape: vgdraw.CircleGlyph{}}
		drawn.Add(dots)
	}
	names, err := clusterNames(p, groups)
	if err == nil && names != nil {
		drawn.Add(names)
	}
	if err != nil || !labels {
		return drawn, err
	}
	items, err := itemLabels(p.Places)
	if err == nil {
		drawn.Add(items)
	}
	return drawn, err
}

// noiseGroup are the items that belong to no cluster.
const noiseGroup = -1

func colourOf(cluster int) color.Color {
	if cluster == noiseGroup {
		return noiseColour
	}
	return clusterColours[cluster%len(clusterColours)]
}

// clusterNames writes the name of each cluster in its middle.
func clusterNames(p projection.Projection, groups map[int]plotter.XYs) (*plotter.Labels, error) {
	var at plotter.XYLabels
	for _, cluster := range slices.Sorted(maps.Keys(groups)) {
		name := p.Statistics.ClusterNames[fmt.Sprint(cluster)]
		if cluster == noiseGroup || name == "" {
			continue
		}
		var middle plotter.XY
		for _, dot := range groups[cluster] {
			middle.X += dot.X / float64(len(groups[cluster]))
			middle.Y += dot.Y / float64(len(groups[cluster]))
		}
		at.XYs, at.Labels = append(at.XYs, middle), append(at.Labels, cut(name))
	}
	if len(at.Labels) == 0 {
		return nil, nil //nolint:nilnil // without clusters nothing is drawn
	}
	return styled(at, 11, color.Black)
}

// itemLabels writes the labels of the items with the most relationships.
func itemLabels(places []projection.Place) (*plotter.Labels, error) {
	degree := func(p projection.Place) int {
		if p.Degree == nil {
			return 0
		}
		return *p.Degree
	}
	ordered := slices.Clone(places)
	slices.SortStableFunc(ordered, func(a, b projection.Place) int { return cmp.Compare(degree(b), degree(a)) })
	var at plotter.XYLabels
	for _, p := range ordered[:min(mostLabels, len(ordered))] {
		at.XYs, at.Labels = append(at.XYs, plotter.XY{X: p.X, Y: p.Y}), append(at.Labels, cut(p.Label))
	}
	return styled(at, 7, color.RGBA{0x44, 0x44, 0x44, 0xff})
}

func styled(at plotter.XYLabels, size float64, c color.Color) (*plotter.Labels, error) {
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return nil, err //nolint:wrapcheck // Projection says what failed
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Color = c
		labels.TextStyle[i].Font.Size = vg.Points(size)
		labels.TextStyle[i].XAlign = vgdraw.XCenter
	}
	return labels, nil
}

// cut returns a label of one short line without what cannot be drawn.
func cut(label string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, label))
	if len(runes) > labelLength {
		return string(runes[:labelLength-1]) + "…"
	}
	return string(runes)
}
