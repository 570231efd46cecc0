/** The page of a customer. */
import { render } from 'preact';

render(<main />, document.body);
