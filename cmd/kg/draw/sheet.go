package draw

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

const (
	sheetWidth, sheetHeight = 1100.0, 800.0
	pngScale                = 1.5 // pixels of a PNG for one of the sheet
)

// sheet is a picture of dots and words, which is written as SVG or as PNG.
type sheet struct {
	dots  []dot
	texts []text // above the dots, each around the middle of its line
}

type dot struct {
	at     point
	colour string // as in "#4477aa"
}

type text struct {
	at     point
	size   float64
	colour string
	words  string
}

func (s sheet) writeSVG(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" text-anchor="middle">`+"\n"+
		`<style>text{paint-order:stroke;stroke:#fff;stroke-width:3px}</style>`+"\n"+`<rect width="100%%" height="100%%" fill="white"/>`+"\n", sheetWidth, sheetHeight)
	for _, d := range s.dots {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`+"\n", d.at.x, d.at.y, dotRadius, d.colour)
	}
	for _, t := range s.texts {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" font-size="%.0f" fill="%s">%s</text>`+"\n", t.at.x, t.at.y, t.size, t.colour, escaped(t.words))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (s sheet) writePNG(w io.Writer) error {
	letters, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return fmt.Errorf("read the font: %w", err)
	}
	picture := image.NewRGBA(image.Rect(0, 0, int(sheetWidth*pngScale), int(sheetHeight*pngScale)))
	draw.Draw(picture, picture.Bounds(), image.White, image.Point{}, draw.Src)
	for _, d := range s.dots {
		fillDot(picture, d)
	}
	for _, t := range s.texts {
		if err := writeWords(picture, letters, t); err != nil {
			return err
		}
	}
	return png.Encode(w, picture)
}

// fillDot draws a dot, whose rim is smooth, into the square that holds it.
func fillDot(picture draw.Image, d dot) {
	const corners = 16
	radius := dotRadius * pngScale
	left, top := math.Floor(d.at.x*pngScale-radius), math.Floor(d.at.y*pngScale-radius)
	side := int(math.Ceil(2*radius)) + 2
	shape := vector.NewRasterizer(side, side)
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		x, y := float32(d.at.x*pngScale+radius*cos-left), float32(d.at.y*pngScale+radius*sin-top)
		if i == 0 {
			shape.MoveTo(x, y)
		} else {
			shape.LineTo(x, y)
		}
	}
	shape.ClosePath()
	shape.Draw(picture, image.Rect(int(left), int(top), int(left)+side, int(top)+side), image.NewUniform(colourNamed(d.colour)), image.Point{})
}

// writeWords draws a text with a white rim, so that it can be read above dots.
func writeWords(picture draw.Image, letters *opentype.Font, t text) error {
	face, err := opentype.NewFace(letters, &opentype.FaceOptions{Size: t.size * pngScale, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return fmt.Errorf("set letters of size %g: %w", t.size, err)
	}
	width := font.MeasureString(face, t.words)
	write := func(c color.Color, dx, dy int) {
		at := fixed.Point26_6{X: fixed.I(int(t.at.x*pngScale)+dx) - width/2, Y: fixed.I(int(t.at.y*pngScale) + dy)}
		(&font.Drawer{Dst: picture, Src: image.NewUniform(c), Face: face, Dot: at}).DrawString(t.words)
	}
	for dx := -2; dx <= 2; dx += 2 {
		for dy := -2; dy <= 2; dy += 2 {
			write(color.White, dx, dy)
		}
	}
	write(colourNamed(t.colour), 0, 0)
	return nil
}

// colourNamed returns the colour of a name such as "#4477aa"; black for none.
func colourNamed(name string) color.RGBA {
	var r, g, b uint8
	_, _ = fmt.Sscanf(name, "#%02x%02x%02x", &r, &g, &b) // the names are ours
	return color.RGBA{r, g, b, 0xff}
}
