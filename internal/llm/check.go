package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	pixels "image"
	"image/color"
	"image/draw"
	"image/png"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
)

// checkLimit is how long a check may take: a local model is loaded first.
const checkLimit = time.Minute

// CheckReading makes a small real call of a model that reads, past the governor: it is to
// say whether the provider answers now, and whether it takes our key.
func (p *Provider) CheckReading(ctx context.Context, model string) models.ProviderCheck {
	return p.check(ctx, models.ForExtraction, model, func(ctx context.Context, c *models.ProviderCheck) error {
		a, err := p.wire.chat(ctx, message{model: model, system: "Answer with one word.", user: "Say yes.", most: 256, prompt: 20})
		c.Usage = a.usage
		return err
	})
}

// CheckEmbedding does so with a model that embeds.
func (p *Provider) CheckEmbedding(ctx context.Context, model string) models.ProviderCheck {
	return p.check(ctx, models.ForEmbedding, model, func(ctx context.Context, c *models.ProviderCheck) error {
		vectors, usage, err := p.wire.embed(ctx, model, []string{"yes"})
		c.Usage = usage
		if err == nil {
			c.Dimensions = len(vectors[0])
		}
		return err
	})
}

// CheckDescribing does so with a model that describes images, of which it gets a small one.
func (p *Provider) CheckDescribing(ctx context.Context, model string) models.ProviderCheck {
	return p.check(ctx, models.ForImage, model, func(ctx context.Context, c *models.ProviderCheck) error {
		body, err := checkImage()
		if err != nil {
			return err
		}
		a, err := p.wire.chat(ctx, message{
			model: model, system: "Answer with one word.", user: "Which colour has this image?",
			image: &image{corpus.ContentPNG, body}, most: 256, prompt: imageTokens + 20,
		})
		c.Usage = a.usage
		return err
	})
}

// checkImage is a red square as a PNG.
func checkImage() ([]byte, error) {
	const side = 64
	square := pixels.NewRGBA(pixels.Rect(0, 0, side, side))
	draw.Draw(square, square.Bounds(), pixels.NewUniform(color.RGBA{R: 255, A: 255}), pixels.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, square); err != nil {
		return nil, fmt.Errorf("draw an image for a check: %w", err)
	}
	return b.Bytes(), nil
}

func (p *Provider) check(ctx context.Context, purpose models.Purpose, model string, call func(ctx context.Context, c *models.ProviderCheck) error) models.ProviderCheck {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	c := models.ProviderCheck{Provider: p.name, Model: model, Purpose: purpose}
	began := time.Now()
	err := call(ctx, &c)
	c.Seconds, c.OK = time.Since(began).Seconds(), err == nil
	if f, ok := errors.AsType[*failure](err); ok {
		c.Usage = c.Usage.Add(f.usage)
	}
	c.Cost = p.model(model).CostOf(c.Usage)
	if err != nil {
		c.Error = err.Error()
		if ctx.Err() != nil {
			c.Error = p.name + " did not answer within " + checkLimit.String()
		}
	}
	return c
}
