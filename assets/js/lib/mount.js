/** How Streamlit and a component's view meet: one view for each place on the page, fed with every new data. */

/**
 * The function that Streamlit calls with the component's data; what it returns is called when the place goes.
 * @param {(parent: Element) => {update: (data: any, setTriggerValue: Function, setStateValue: Function) => void, close: () => void}} create
 */
export function mounted(create) {
  const views = new WeakMap();
  return ({ data, parentElement, setTriggerValue, setStateValue }) => {
    if (!views.has(parentElement)) views.set(parentElement, create(parentElement));
    views.get(parentElement).update(data, setTriggerValue, setStateValue);
    return () => {
      views.get(parentElement)?.close();
      views.delete(parentElement);
    };
  };
}
