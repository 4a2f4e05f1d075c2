console.log("turnpike");
