package draw

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// shape is what a picture has.
type shape struct {
	Courses []struct {
		Way   string `xml:"d,attr"`
		Arrow string `xml:"marker-end,attr"`
		Title string `xml:"title"`
	} `xml:"path"`
	Points []struct {
		X float64 `xml:"cx,attr"`
		Y float64 `xml:"cy,attr"`
	} `xml:"circle"`
	Labels []struct {
		X    float64 `xml:"x,attr"`
		Y    float64 `xml:"y,attr"`
		Text string  `xml:",chardata"`
	} `xml:"text"`
}

func read(t *testing.T, picture string) (got shape) {
	t.Helper()
	if err := xml.Unmarshal([]byte(picture), &got); err != nil || strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
		t.Fatalf("%v in\n%s", err, picture)
	}
	return got
}

func node(i int) questions.GraphNode {
	return questions.GraphNode{ConceptID: fmt.Sprintf("c_%d", i), Label: fmt.Sprintf("concept %d", i), Degree: 1}
}

func edge(from, to int, name string) questions.SubgraphEdge {
	return questions.SubgraphEdge{FromID: fmt.Sprintf("c_%d", from), ToID: fmt.Sprintf("c_%d", to), Type: name}
}

func TestSVG(t *testing.T) {
	nodes := []questions.GraphNode{{ConceptID: "c_0", Label: "a <b> & \"c\"\nd", Degree: 5}, node(1)}
	edges := []questions.SubgraphEdge{edge(0, 1, "CAUSES"), edge(1, 0, "RELATED_TO"), edge(0, 1, "<i>"), edge(0, 0, "CAUSES"), edge(0, 9, "CAUSES")}
	picture := SVG(nodes, edges, 1)
	got := read(t, picture)
	// Four relationships whose ends are there, and three types in the legend.
	if len(got.Courses) != 4+3 || len(got.Points) != 2 || len(got.Labels) != 2+3 || got.Labels[0].Text != `a <b> & "c" d` {
		t.Errorf("got %+v", got)
	}
	for _, c := range got.Courses[:4] {
		if arrow := c.Arrow != ""; arrow == strings.Contains(c.Title, "RELATED_TO") {
			t.Errorf("%s has the arrow %q", c.Title, c.Arrow)
		}
	}
	if !strings.Contains(picture, "CAUSES (2)") {
		t.Error("the legend does not count the relationships")
	}
	if SVG(nodes, edges, 1) != picture {
		t.Error("the same seed gives another picture")
	}
	read(t, SVG(nil, nil, 1))
}

// TestPartsArePacked draws a large part, small ones, and concepts without any
// relationship: none is far from the rest, and none is on another.
func TestPartsArePacked(t *testing.T) {
	var nodes []questions.GraphNode
	var edges []questions.SubgraphEdge
	for i := range 46 {
		nodes = append(nodes, node(i))
		switch {
		case i > 0 && i < 30:
			edges = append(edges, edge(i, i/3, "CAUSES"))
		case i >= 30 && i < 40 && i%2 == 1:
			edges = append(edges, edge(i, i-1, "CAUSES"))
		}
	}
	got := read(t, SVG(nodes, edges, 1))
	for i, p := range got.Points {
		nearest := math.Inf(1)
		for j, o := range got.Points {
			if i != j {
				nearest = min(nearest, math.Hypot(p.X-o.X, p.Y-o.Y))
			}
		}
		if nearest < 12 || nearest > 250 {
			t.Errorf("concept %d is %.0f from the next one", i, nearest)
		}
	}
	if len(got.Labels) < 40 {
		t.Errorf("only %d labels have room", len(got.Labels))
	}
}

func TestLabelsHaveRoom(t *testing.T) {
	var nodes []questions.GraphNode
	var edges []questions.SubgraphEdge
	for i := range 120 {
		nodes = append(nodes, node(i))
		nodes[i].Label += " with a label that is far too long"
		edges = append(edges, edge(i, 0, "HAS_PART"))
	}
	labels := read(t, SVG(nodes, edges, 1)).Labels
	labels = labels[:len(labels)-1] // without the legend
	if len(labels) < 10 || len(labels) == len(nodes) {
		t.Fatalf("%d labels", len(labels))
	}
	for i, a := range labels {
		width := charWidth * float64(len([]rune(a.Text)))
		if a.X-width/2 < -1 || a.X+width/2 > pageWidth+1 {
			t.Errorf("label %d leaves the page", i)
		}
		for _, b := range labels[:i] {
			if math.Abs(a.Y-b.Y) < lineHeight-2 && math.Abs(a.X-b.X) < width-2 {
				t.Errorf("%+v is on %+v", a, b)
			}
		}
	}
}

func TestLegendOfManyTypes(t *testing.T) {
	var edges []questions.SubgraphEdge
	for i := range 30 {
		edges = append(edges, edge(0, 1, fmt.Sprintf("TYPE_%d", i)))
	}
	picture := SVG([]questions.GraphNode{node(0), node(1)}, edges, 1)
	if got := read(t, picture); len(got.Labels) != 2+len(palette) || !strings.Contains(picture, "other types (21)") {
		t.Errorf("%d labels in\n%s", len(got.Labels), picture)
	}
}
