// Registers the service worker, which shows the last seen tables without network.
navigator.serviceWorker?.register("/service-worker.js").catch(() => {});
