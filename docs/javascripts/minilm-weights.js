/* The file of weights beside this module; `python -m figures.weights` puts both into a built site. */
export default null;
