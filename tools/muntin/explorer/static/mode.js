export const MODE = 'pyodide';
