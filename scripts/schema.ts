console.log("schema");
