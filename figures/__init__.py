"""Draws docs/figures/*.svg: one function a figure, no plotting library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from figures import (
    basics,
    block,
    chunking,
    comparing,
    covers,
    curves,
    decoding,
    descending,
    diluting,
    equation,
    explorer,
    guessing,
    heads,
    inducing,
    keeping,
    kernels,
    layers,
    learning,
    letters,
    machine,
    masking,
    matrices,
    memory,
    mistakes,
    mixing,
    narrowing,
    norms,
    orders,
    own_sentence,
    paging,
    parting,
    pictures,
    pieces,
    pipeline,
    planes,
    positions,
    reading,
    scaling,
    serving,
    shapes,
    signs,
    similarity,
    sizes,
    starting,
    steps,
    storied,
    stretching,
    style,
    tiling,
    travelling,
    turning,
    walkthrough,
    windows,
    wiring,
    words,
    writing,
)
from vaultkit.figure import Figure
from vaultkit.site import outlines


def _figure(
    module: ModuleType,
    name: str,
    data: Callable[..., Mapping[str, Any]],
    draw: Callable[[Mapping[str, Any]], str],
) -> Figure:
    """Describe a figure that goes stale with its numbers, its modules or the common style."""
    modules = (module, *getattr(module, "PARTS", ()), style, signs, outlines)
    return Figure(f"{name}.svg", data, draw, modules)


FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        _figure(storied, "bank-reads", storied.reading_data, storied.draw_reading),
        _figure(steps, "bank-by-columns", steps.columns_data, steps.draw_columns),
        _figure(planes, "key-plane", planes.keys_data, planes.draw_keys),
        _figure(planes, "two-meanings", planes.meanings_data, planes.draw_meanings),
        _figure(planes, "bank-moves", planes.moved_data, planes.draw_moved),
        _figure(planes, "row-plus-position", planes.added_data, planes.draw_added),
        _figure(sizes, "tokens-become-alike", sizes.depth_data, sizes.draw_depth),
        _figure(sizes, "norm-and-weights", sizes.factor_data, sizes.draw_factor),
        _figure(mixing, "same-score-other-weight", mixing.rows_data, mixing.draw_rows),
        _figure(matrices, "key-column", matrices.column_data, matrices.draw_column),
        _figure(orders, "two-orders", orders.data, orders.draw),
        _figure(norms, "two-norms", norms.data, norms.draw),
        _figure(pieces, "merge-trees", pieces.trees_data, pieces.draw_trees),
        _figure(windows, "window-paths", windows.paths_data, windows.draw_paths),
        _figure(decoding, "decoder-columns", decoding.data, decoding.draw),
        _figure(pictures, "patches-or-strips", pictures.strips_data, pictures.draw_strips),
        _figure(kernels, "recalled-pattern", kernels.recall_data, kernels.draw_recall),
        _figure(serving, "mask-corner", serving.corner_data, serving.draw_corner),
        _figure(parting, "hundred-copies", parting.copies_data, parting.draw_copies),
        _figure(planes, "pronoun-plane", planes.pronoun_data, planes.draw_pronoun),
        _figure(steps, "values-or-inputs", steps.received_data, steps.draw_received),
        _figure(wiring, "circuits-on-tokens", wiring.maps_data, wiring.draw_maps),
        _figure(serving, "repeat-or-tile", serving.tiled_data, serving.draw_tiled),
        _figure(machine, "floats-near-a-score", machine.grid_data, machine.draw_grid),
        _figure(guessing, "tokens-per-run", guessing.runs_data, guessing.draw_runs),
        _figure(keeping, "sparse-work", keeping.work_data, keeping.draw_work),
        _figure(curves, "keys-on-a-circle", curves.circle_data, curves.draw_circle),
        _figure(comparing, "moved-and-computed", comparing.sizes_data, comparing.draw_sizes),
        _figure(matrices, "query-row", matrices.row_data, matrices.draw_row),
        _figure(equation, "row-and-column-sums", equation.sums_data, equation.draw_sums),
        _figure(layers, "own-row-only", layers.own_row_data, layers.draw_own_row),
        _figure(turning, "alibi-slopes", turning.slopes_data, turning.draw_slopes),
        _figure(writing, "ways-to-choose", writing.ways_data, writing.draw_ways),
        _figure(letters, "stacked-projections", letters.stacked_data, letters.draw_stacked),
        _figure(storied, "bank-reads-itself", storied.naive_data, storied.draw_naive),
        _figure(storied, "bank-reads-twice", storied.heads_data, storied.draw_heads),
        _figure(storied, "next-word", storied.next_data, storied.draw_next),
        _figure(pipeline, "pipeline", pipeline.data, pipeline.draw),
        _figure(basics, "exp-and-log", basics.exp_data, basics.draw_exp),
        _figure(basics, "normal-distribution", basics.normal_data, basics.draw_normal),
        _figure(basics, "expectation", basics.expectation_data, basics.draw_expectation),
        _figure(basics, "independence", basics.independence_data, basics.draw_independence),
        _figure(basics, "gradient", basics.gradient_data, basics.draw_gradient),
        _figure(basics, "jacobian", basics.jacobian_data, basics.draw_jacobian),
        _figure(basics, "loss", basics.loss_data, basics.draw_loss),
        _figure(basics, "training", basics.training_data, basics.draw_training),
        _figure(matrices, "input-representation", matrices.input_data, matrices.draw_input),
        _figure(matrices, "query-matrix", matrices.query_data, matrices.draw_projection),
        _figure(matrices, "key-matrix", matrices.key_data, matrices.draw_projection),
        _figure(matrices, "value-matrix", matrices.value_data, matrices.draw_projection),
        _figure(matrices, "attention-scores", matrices.scores_data, matrices.draw_scores),
        _figure(matrices, "key-transpose", matrices.transpose_data, matrices.draw_transpose),
        _figure(scaling, "score-variance", scaling.variance_data, scaling.draw_variance),
        _figure(scaling, "softmax-saturation", scaling.saturation_data, scaling.draw_saturation),
        _figure(scaling, "temperature", scaling.temperature_data, scaling.draw_temperature),
        _figure(scaling, "scale-and-gradient", scaling.gradient_data, scaling.draw_gradient),
        _figure(learning, "head-learns", learning.learning_data, learning.draw_learning),
        _figure(learning, "train-live", learning.live_data, learning.draw_live),
        _figure(learning, "head-matrices", learning.matrices_data, learning.draw_matrices),
        _figure(learning, "backward-graph", learning.graph_data, learning.draw_graph),
        _figure(learning, "backward", learning.backward_data, learning.draw_backward),
        _figure(mixing, "softmax", mixing.softmax_data, mixing.draw_softmax),
        _figure(mixing, "softmax-temperature", mixing.temperature_data, mixing.draw_temperature),
        _figure(matrices, "attention-weights", matrices.weights_data, matrices.draw_weights),
        _figure(matrices, "she-reads", matrices.mary_data, matrices.draw_mary),
        _figure(mixing, "context-vector", mixing.context_data, mixing.draw_context),
        _figure(shapes, "tensor-shapes", shapes.data, shapes.draw),
        _figure(words, "two-banks", words.two_banks_data, words.draw_two_banks),
        _figure(words, "static-embeddings", words.static_data, words.draw_static),
        _figure(words, "naive-attention", words.naive_data, words.draw_naive),
        _figure(words, "bank-by-layer", words.layers_data, words.draw_layers),
        _figure(explorer, "attention-explorer", explorer.model_data, explorer.draw_model),
        _figure(own_sentence, "own-sentence", own_sentence.data, own_sentence.draw),
        _figure(explorer, "trained-head", explorer.recall_data, explorer.draw_recall),
        _figure(explorer, "translation", explorer.translation_data, explorer.draw_translation),
        _figure(explorer, "two-heads", explorer.two_heads_data, explorer.draw_two_heads),
        _figure(heads, "real-heads", heads.real_heads_data, heads.draw_real_heads),
        _figure(similarity, "dot-and-cosine", similarity.dot_data, similarity.draw_dot),
        _figure(similarity, "dot-against-cosine", similarity.drag_data, similarity.draw_drag),
        _figure(
            similarity,
            "query-key-value-analogy",
            similarity.analogy_data,
            similarity.draw_analogy,
        ),
        _figure(walkthrough, "single-query", walkthrough.data, walkthrough.draw),
        _figure(equation, "attention-equation", equation.equation_data, equation.draw_equation),
        _figure(equation, "cross-attention", equation.cross_data, equation.draw_cross),
        _figure(heads, "multi-head", heads.multi_head_data, heads.draw_multi_head),
        _figure(heads, "one-head-or-two", heads.one_or_two_data, heads.draw_one_or_two),
        _figure(masking, "masks", masking.data, masking.draw),
        _figure(masking, "mask-to-paint", masking.paint_data, masking.draw_paint),
        _figure(layers, "feed-forward", layers.feed_forward_data, layers.draw_feed_forward),
        _figure(layers, "residual-connection", layers.residual_data, layers.draw_residual),
        _figure(layers, "layer-normalization", layers.norm_data, layers.draw_norm),
        _figure(block, "transformer-block", block.data, block.draw),
        _figure(positions, "positional-encoding", positions.data, positions.draw),
        _figure(
            positions, "rotation-of-positions", positions.rotation_data, positions.draw_rotation
        ),
        _figure(starting, "initialization", starting.data, starting.draw),
        _figure(parting, "score-parts", parting.data, parting.draw),
        _figure(mistakes, "known-answer", mistakes.known_answer_data, mistakes.draw_known_answer),
        _figure(mistakes, "own-attention", mistakes.own_data, mistakes.draw_own),
        _figure(machine, "numerical-stability", machine.stability_data, machine.draw_stability),
        _figure(
            machine, "computational-complexity", machine.complexity_data, machine.draw_complexity
        ),
        _figure(turning, "rotary", turning.data, turning.draw),
        _figure(stretching, "context-extension", stretching.data, stretching.draw),
        _figure(memory, "recall-and-rewriting", memory.data, memory.draw),
        _figure(tiling, "tiles", tiling.tiles_data, tiling.draw_tiles),
        _figure(tiling, "tiles-in-half-precision", tiling.half_data, tiling.draw_half),
        _figure(curves, "activations", curves.activations_data, curves.draw_activations),
        _figure(curves, "bounded-scores", curves.bounded_data, curves.draw_bounded),
        _figure(windows, "reach", windows.data, windows.draw),
        _figure(reading, "same-output", reading.data, reading.draw),
        _figure(kernels, "kernel-regression", kernels.data, kernels.draw),
        _figure(pieces, "byte-pairs", pieces.data, pieces.draw),
        _figure(pictures, "patches", pictures.data, pictures.draw),
        _figure(comparing, "variants", comparing.data, comparing.draw),
        _figure(letters, "einsum-letters", letters.data, letters.draw),
        _figure(writing, "decoder-surprise", writing.surprise_data, writing.draw_surprise),
        _figure(inducing, "induction-curves", inducing.curves_data, inducing.draw_curves),
        _figure(inducing, "induction-maps", inducing.maps_data, inducing.draw_maps),
        _figure(serving, "kv-cache", serving.cache_data, serving.draw_cache),
        _figure(serving, "grouped-heads", serving.grouped_data, serving.draw_grouped),
        _figure(paging, "paged-cache", paging.data, paging.draw),
        _figure(guessing, "speculative-decoding", guessing.data, guessing.draw),
        _figure(chunking, "chunks", chunking.data, chunking.draw),
        _figure(travelling, "ring", travelling.data, travelling.draw),
        _figure(keeping, "kept-mass", keeping.data, keeping.draw),
        _figure(wiring, "paths", wiring.data, wiring.draw),
        _figure(diluting, "dilution", diluting.data, diluting.draw),
        _figure(descending, "descent-in-context", descending.data, descending.draw),
        _figure(narrowing, "latent-attention", narrowing.data, narrowing.draw),
        _figure(machine, "attention-share", machine.share_data, machine.draw_share),
        # Without the variables of a note: nobody sees a card while editing.
        *(
            _figure(covers, f"cover-{name}", data, draw)
            for name, data, draw in (
                ("banks", words.two_banks_data, covers.draw_banks),
                ("softmax", lambda: mixing.softmax_data(), covers.draw_softmax),
                ("mean", mixing.context_data, covers.draw_mean),
                ("head", lambda: storied.reading_data(), covers.draw_head),
                ("mask", lambda: masking.paint_data(), covers.draw_mask),
                ("heads", lambda: storied.heads_data(), covers.draw_heads),
                ("next", storied.next_data, covers.draw_next),
            )
        ),
    )
}


def formulas() -> str:
    """Return the outlines of the formulas in the figures that a browser draws again, as JSON."""
    style.used.clear()
    for figure in FIGURES.values():
        if figure.variables:
            figure.draw(figure.data())
    return json.dumps(dict(sorted(style.used.items())), indent=1) + "\n"


#: What the scripts of drawings read, and what writes it.
FILES = {
    explorer.RECORDING: explorer.recording,
    **explorer.recorded_pairs(),
    storied.DECODER: storied.decoder_weights,
}
